// Steps through a stored game without loading its page anew: a ply is in the address as
// #ply, and what changes is taken from the page that the server makes for that ply.
const game = document.querySelector("[data-stored]");
const parts = ["board", "caption", "steps", "thought", "sfen", "graph", "moves"];
const pages = new Map(); // what was fetched, by ply
let shown = Number(game.dataset.ply);
let wanted = shown;

const last = Number(game.dataset.last);
const clamp = (ply) => Math.max(0, Math.min(last, ply));

async function page(ply) {
  if (!pages.has(ply)) {
    if (pages.size > 400) pages.clear();
    const answer = await fetch(`${game.dataset.stored}?ply=${ply}`, { credentials: "same-origin" });
    if (!answer.ok) throw new Error(answer.statusText);
    pages.set(ply, new DOMParser().parseFromString(await answer.text(), "text/html"));
  }
  return pages.get(ply);
}

async function show(ply) {
  wanted = clamp(ply);
  const asked = wanted;
  let made;
  try {
    made = await page(asked);
  } catch {
    location.href = `${game.dataset.stored}?ply=${asked}`;
    return;
  }
  if (asked !== wanted || asked === shown) return; // another one was asked for meanwhile
  shown = asked;
  for (const name of parts) {
    const here = game.querySelector(`[data-part="${name}"]`);
    const there = made.querySelector(`[data-part="${name}"]`);
    if (here && there) here.replaceWith(document.importNode(there, true));
  }
  game.querySelector("input[name=ply]").value = shown;
  history.replaceState(null, "", `${game.dataset.stored}#${shown}`);
  const row = game.querySelector("tr.here");
  const box = row && row.closest(".scroll");
  if (box) box.scrollTop = row.offsetTop - box.clientHeight / 2;
}

game.addEventListener("click", (e) => {
  const link = e.target.closest("[data-to]");
  if (!link || e.ctrlKey || e.metaKey || e.shiftKey || e.button !== 0) return;
  e.preventDefault();
  show(Number(link.dataset.to));
});
addEventListener("keydown", (e) => {
  if (e.altKey || e.ctrlKey || e.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
  const to = { ArrowLeft: wanted - 1, ArrowRight: wanted + 1, Home: 0, End: last }[e.key];
  if (to === undefined) return;
  e.preventDefault();
  show(to);
});
const fromAddress = () => /^#\d+$/.test(location.hash) && show(Number(location.hash.slice(1)));
addEventListener("hashchange", fromAddress);
fromAddress();
