// Steps through a stored game without loading its page anew: what changes is taken from the page that the
// server makes for a ply, or for a move of the variation there (pv). The address is always that of the page.
const game = document.querySelector('[data-stored]');
const pages = new Map(); // what was fetched, by address
const last = Number(game.dataset.last);
let shown = { ply: Number(game.dataset.ply), pv: Number(game.dataset.pv) };
let wanted = shown;

const clamp = ply => Math.max(0, Math.min(last, ply));
const address = at => `${game.dataset.stored}?ply=${at.ply}${at.pv ? `&pv=${at.pv}` : ''}`;

async function fetched(url) {
  if (pages.size > 400) pages.clear();
  if (!pages.has(url)) {
    pages.set(url, fetch(url, { credentials: 'same-origin' }).then(async answer => {
      if (!answer.ok) throw new Error(answer.statusText);
      return new DOMParser().parseFromString(await answer.text(), 'text/html');
    }));
  }
  return pages.get(url);
}

async function show(ply, pv = 0) {
  const asked = wanted = { ply: clamp(ply), pv };
  let made;
  try {
    made = await fetched(address(asked));
  } catch {
    location.href = address(asked);
    return;
  }
  if (asked !== wanted) return; // another one was asked for meanwhile
  shown = asked;
  game.querySelectorAll('[data-part]').forEach(here => {
    const there = made.querySelector(`[data-part="${here.dataset.part}"]`);
    if (there) here.replaceWith(document.importNode(there, true));
  });
  game.querySelector('input[name=ply]').value = shown.ply;
  history.replaceState(null, '', address(shown));
  follow();
  if (!pv && ply < last) fetched(address({ ply: ply + 1, pv: 0 })).catch(() => {}); // the next one is likely
}

// follow keeps the move that is shown in the middle of the list.
function follow() {
  const row = game.querySelector('tr.here'), box = row?.closest('.scroll');
  if (box) box.scrollTop = row.offsetTop - box.clientHeight / 2;
}

const step = n => shown.pv ? show(wanted.ply, Math.max(0, Math.min(wanted.pv + n, game.querySelectorAll('.pv a').length))) : show(wanted.ply + n);

game.addEventListener('click', async e => {
  const share = e.target.closest('[data-share]'), link = e.target.closest('[data-to]');
  if (e.ctrlKey || e.metaKey || e.shiftKey || e.button !== 0) return;
  if (share && navigator.clipboard) {
    e.preventDefault();
    await navigator.clipboard.writeText(share.href).catch(() => {});
    share.textContent = share.dataset.share;
  } else if (link) {
    e.preventDefault();
    show(Number(link.dataset.to), Number(link.dataset.pv ?? 0));
  }
});
addEventListener('keydown', e => {
  if (e.altKey || e.ctrlKey || e.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName)) return;
  const act = { ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => show(0), End: () => show(last), Escape: () => show(wanted.ply) }[e.key];
  if (!act) return;
  e.preventDefault();
  act();
});
let touched = null;
game.addEventListener('touchstart', e => { touched = e.target.closest('.board') && e.touches.length === 1 ? e.touches[0] : null; }, { passive: true });
game.addEventListener('touchend', e => {
  const moved = touched && e.changedTouches[0].clientX - touched.clientX;
  if (moved && Math.abs(moved) > 40 && Math.abs(moved) > 2 * Math.abs(e.changedTouches[0].clientY - touched.clientY)) step(moved < 0 ? 1 : -1);
  touched = null;
});
// An older link has the ply after #.
if (/^#\d+$/.test(location.hash)) show(Number(location.hash.slice(1)));
follow();
