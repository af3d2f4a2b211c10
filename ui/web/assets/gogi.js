// Adds what moves to pages that read without it. It finds what to do by attributes:
//
//   <section data-live="RUN" data-game="PAIR.LEG or empty">: follows /api/v1/live and keeps
//     the seats in it (templates/_seat.gohtml) as the run is. In a seat, data-f names what
//     an element says, data-side whose it is.
//   <div data-fresh="NAME">: is of the time at which the page was made. When the run's session
//     ends, the page is asked for once more, and these parts are those of that.
//
// Everything that is told is put into the page as text, never as HTML.

const SVG = 'http://www.w3.org/2000/svg';
const order = 'RBGSNLP'; // of pieces in hand
const again = 2000, later = 15000, fresh = 5000; // ms until a stream is asked for anew, after a break and after a run's end, and between two looks at the result

// ---- diagrams, as package diagram draws them

let pieces = null; // an svg with each piece and the marks, promised by drawing()

function drawing() {
  pieces ??= fetched();
  return pieces;
}

// fetched asks until there is an answer: the server may have ended right after the page came,
// and another may take its place, as with a stream.
async function fetched() {
  for (;;) {
    try {
      const answer = await fetch('/assets/pieces.svg');
      if (answer.ok) return new DOMParser().parseFromString(await answer.text(), 'image/svg+xml').documentElement;
    } catch { /* nobody answers */ }
    document.querySelectorAll('[data-live] [data-f="link"]').forEach(link => { link.textContent = link.dataset.lost; });
    await new Promise(done => setTimeout(done, again));
  }
}

// draw makes an svg of package diagram show a position and its last move ('' for none).
function draw(svg, kinds, sfen, move, title) {
  const frame = svg.querySelector('.sd-board');
  const [left, top, width, height] = ['x', 'y', 'width', 'height'].map(name => Number(frame.getAttribute(name)));
  const corner = square => [left + (9 - square[0]) * width / 9, top + (square.charCodeAt(1) - 97) * height / 9];
  const layer = svg.querySelector('.sd-hand').parentNode;
  const [rows, , hands] = sfen.split(' ');
  const stay = new Map([...layer.querySelectorAll('[data-square]')].map(piece => [piece.dataset.square, piece]));
  for (const [square, letter] of squares(rows)) {
    const model = kinds.querySelector(`[data-sfen="${letter.toUpperCase()}"] > g`);
    const colour = letter === letter.toUpperCase() ? 'black' : 'white';
    const there = stay.get(square);
    if (there && there.dataset.colour === colour && there.textContent === model.textContent) {
      stay.delete(square);
      continue;
    }
    const piece = document.importNode(model, true), [x, y] = corner(square);
    piece.setAttribute('data-square', square);
    piece.setAttribute('data-colour', colour);
    piece.setAttribute('transform', `translate(${x + width / 18} ${y + height / 18})${colour === 'white' ? ' rotate(180)' : ''}`);
    layer.insertBefore(piece, layer.querySelector('.sd-hand'));
  }
  stay.forEach(piece => piece.remove());
  svg.querySelectorAll('.sd-from, .sd-to').forEach(mark => mark.remove());
  const marked = !move ? [] : move[1] === '*' ? [['to', move.slice(2, 4)]] : [['from', move.slice(0, 2)], ['to', move.slice(2, 4)]];
  for (const [name, square] of marked) {
    const mark = document.importNode(kinds.querySelector('.sd-' + name), true), [x, y] = corner(square);
    mark.setAttribute('x', x + 1);
    mark.setAttribute('y', y + 1);
    svg.insertBefore(mark, layer);
  }
  svg.querySelectorAll('.sd-hand').forEach(hand => hold(hand, kinds, held(hands, hand.dataset.hand === 'black')));
  svg.querySelector('title').textContent = title;
  svg.querySelector('desc').textContent = 'SFEN ' + sfen;
}

// squares are the pieces of a board: its square and SFEN letter each.
function* squares(rows) {
  let rank = 0;
  for (const row of rows.split('/')) {
    let file = 9;
    for (const [, empty, letter] of row.matchAll(/(\d)|(\+?[A-Za-z])/g)) {
      if (letter) yield [file + String.fromCharCode(97 + rank), letter];
      file -= letter ? 1 : Number(empty);
    }
    rank++;
  }
}

// held is what one side has in hand: letters and numbers, the strongest piece first.
function held(hands, black) {
  const all = [...hands.matchAll(/(\d*)([A-Za-z])/g)].map(([, n, letter]) => [letter, Number(n || 1)]);
  return all.filter(([letter]) => (letter === letter.toUpperCase()) === black)
    .map(([letter, n]) => [letter.toUpperCase(), n]).sort(([a], [b]) => order.indexOf(a) - order.indexOf(b));
}

// hold draws a hand anew, after the mark that says whose it is.
function hold(hand, kinds, pieces) {
  const side = hand.firstElementChild, [, x0, y0] = side.getAttribute('transform').match(/translate\((\S+) (\S+)\)/).map(Number);
  const text = (parent, at, words) => {
    const t = document.createElementNS(SVG, 'text');
    for (const [name, value] of Object.entries(at)) t.setAttribute(name, value);
    t.textContent = words;
    parent.append(t);
  };
  hand.replaceChildren(side);
  pieces.forEach(([letter, n], i) => {
    const group = document.createElementNS(SVG, 'g'), x = x0 + 32 + 47 * i;
    text(group, { x, y: y0 + 8, 'font-size': 23 }, kinds.querySelector(`[data-sfen="${letter}"] text`).textContent);
    if (n > 1) text(group, { class: 'sd-count', x: x + 13, y: y0 + 7, 'font-size': 15, 'font-family': 'system-ui,sans-serif', 'text-anchor': 'start' }, n);
    hand.append(group);
  });
  if (!pieces.length) text(hand, { x: x0 + 24, y: y0 + 6, 'font-size': 16 }, '–');
}

// ---- words, as the server says them

const signed = n => n < 0 ? '−' + -n : '+' + n;

function score(n, words) {
  if (n === undefined) return '';
  if (Math.abs(n) < 32000) return signed(n);
  const plies = Math.abs(n) > 900000 ? 1000000 - Math.abs(n) : 0; // 0: the length is unknown
  return words['mate %s'].replace('%s', (n < 0 ? '−' : '+') + (plies || ''));
}

// evaluation is the score of a thought, or the bound of it.
function evaluation(t, words) {
  if (t?.score_at_least !== undefined) return '≥ ' + score(t.score_at_least, words);
  if (t?.score_at_most !== undefined) return '≤ ' + score(t.score_at_most, words);
  return score(t?.score, words);
}

const weight = w => w.toLocaleString('en', { maximumSignificantDigits: 3, useGrouping: false });

// moved is the move of a ballot: with the piece's name where the language has names for them.
function moved(ballot, words) {
  const m = ballot.move ?? '', piece = words['piece ' + ballot.piece?.toUpperCase()];
  if (!m || !piece) return m;
  const rank = letter => letter.charCodeAt(0) - 97, to = '１２３４５６７８９'[m[2] - 1] + '一二三四五六七八九'[rank(m[3])] + piece;
  return m[1] === '*' ? to + '打' : `${to}${m[4] === '+' ? '成' : ''}(${m[0]}${rank(m[1]) + 1})`;
}

function clock(ms) {
  if (ms === undefined || ms === null) return '';
  const s = Math.floor(Math.max(0, ms) / 1000), two = n => String(n).padStart(2, '0');
  if (s < 10) return `0:${two(s)}.${Math.floor(Math.max(0, ms) % 1000 / 100)}`;
  return s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)}` : `${Math.floor(s / 3600)}:${two(Math.floor(s % 3600 / 60))}:${two(s % 60)}`;
}

// plain is a name without what reorders or hides text, and not too long, as the server shows it.
const plain = text => {
  const all = [...text.replace(/[\n\r\t]/g, ' ').replace(/\p{C}/gu, '')];
  return all.length > 120 ? all.slice(0, 120).join('') + '…' : all.join('');
};

// put makes the elements of a name within another say something.
function put(within, name, words) {
  within.querySelectorAll(`[data-f="${name}"]`).forEach(e => {
    if (e.textContent !== String(words)) e.textContent = words;
  });
}

// ---- what is being played

function merge(target, patch) { // RFC 7396
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete target[key];
    else if (isObject(value) && Object.hasOwn(target, key) && isObject(target[key])) merge(target[key], value);
    else target[key] = value;
  }
}

const isObject = v => typeof v === 'object' && v !== null && !Array.isArray(v);

async function follow(section) {
  const kinds = await drawing(), words = JSON.parse(section.querySelector('[data-words]').textContent);
  const { live: run, game } = section.dataset, link = section.querySelector('[data-f="link"]');
  // The page was made while the run was played: what it says of the results is due at the end
  // of this session, and of every later one that is seen to begin, once.
  let state = null, over = false, playing = true, due = false;
  const ended = () => {
    due ||= playing;
    playing = false;
    if (due) renew().then(done => { due &&= !done; });
  };
  // The result so far, and its course, are asked for when pairs were stored, at most every few seconds.
  let known = null, asked = 0;
  const soon = results => {
    if (game || results === known || Date.now() - asked < fresh || document.hidden) return;
    if (known !== null || section.querySelector('[data-fresh=line]')?.textContent === '') renew(`${section.dataset.path}/now`);
    [known, asked] = [results, Date.now()];
  };
  const show = changed => {
    if (!game) arrange(section, state.slots);
    else if (!gone(section, state, game, words)) changed = Object.keys(state.slots);
    for (const key of changed) {
      const seat = section.querySelector(game ? '[data-seat]' : `[data-seat="${CSS.escape(key)}"]`);
      if (seat && state.slots[key]) fill(seat, state.slots[key], kinds, words, section.dataset.path + '/g/');
    }
    put(section, 'phase', words[state.over ? 'ended' : state.phase] ?? '');
    put(section, 'finished', state.finished.toLocaleString('en'));
    put(section, 'eta', state.eta ?? '–');
    soon(state.finished + '/' + (state.tune?.track.latest ?? ''));
    put(section, 'pairs', state.pairs.toLocaleString('en'));
    put(section, 'rate', (state.games_per_minute ?? 0).toFixed(1));
    tuned(section, state.tune);
    put(section, 'faults', (state.faults ?? []).reduce((sum, f) => sum + f.times, 0));
  };
  const connect = () => {
    if (due) ended(); // nobody answered
    const stream = new EventSource(`/api/v1/live?run=${encodeURIComponent(run)}&game=${encodeURIComponent(game)}`);
    stream.addEventListener('state', e => {
      state = JSON.parse(e.data);
      over = false;
      playing ||= !state.over;
      link.textContent = '';
      show(Object.keys(state.slots));
    });
    stream.addEventListener('diff', e => {
      const patch = JSON.parse(e.data);
      if (!state) return;
      merge(state, patch);
      show(Object.keys(patch.slots ?? {}));
    });
    stream.addEventListener('over', () => {
      over = true;
      stream.close();
      ended();
      setTimeout(connect, later); // somebody may go on with the run
    });
    stream.addEventListener('error', () => {
      state = null;
      if (!over) link.textContent = link.dataset.lost;
      if (stream.readyState !== EventSource.CLOSED) return;
      ended(); // the server answers, and knows of nobody who plays
      setTimeout(connect, over ? later : again);
    });
  };
  connect();
}

// renew puts the page's parts as an address has them now in the place of those that the page was made with; it
// promises whether that is done. A server that does not answer, as the one that was there for
// the session alone, leaves the page as it is. Parts that somebody points at stay, as does what was opened.
async function renew(address = location.href) {
  if (!document.querySelector('[data-fresh]')) return true;
  try {
    const answer = await fetch(address, { cache: 'no-store' });
    if (!answer.ok) return false;
    const now = new DOMParser().parseFromString(await answer.text(), 'text/html'), parts = now.querySelectorAll('[data-fresh]');
    const gone = document.querySelectorAll('[data-fresh]'); // what is not replaced belongs to a run in play
    if (!parts.length) return false; // it is another page, such as the one that asks for the token
    parts.forEach(part => {
      const old = document.querySelector(`[data-fresh="${CSS.escape(part.dataset.fresh)}"]`);
      if (!old || (address !== location.href && old.matches(':hover'))) return;
      const open = [...old.querySelectorAll('details')].map(d => d.open);
      part.querySelectorAll('details').forEach((d, i) => { d.open = open[i] ?? d.open; });
      old.replaceWith(document.adoptNode(part));
    });
    if (address === location.href) gone.forEach(old => old.isConnected && old.replaceChildren());
    document.dispatchEvent(new Event('fresh'));
    return true;
  } catch {
    return false;
  }
}

// arrange has a seat for each slot: the first ones with boards, the others in rows.
function arrange(section, slots) {
  const place = key => [key.slice(0, key.lastIndexOf('/')), Number(key.slice(key.lastIndexOf('/') + 1))];
  const keys = Object.keys(slots).sort((a, b) => {
    const [w, n] = place(a), [v, m] = place(b);
    return w < v ? -1 : w > v ? 1 : n - m;
  });
  const boards = section.querySelector('[data-seats]'), more = section.querySelector('[data-more]'), many = Number(boards.dataset.seats);
  seats(section, boards, keys.slice(0, many), 'seat', slots);
  if (!more) return; // a page that is about something else
  seats(section, more.querySelector('tbody'), keys.slice(many), 'row', slots);
  more.hidden = keys.length <= many;
}

function seats(section, home, keys, kind, slots) {
  const there = new Map([...home.children].map(seat => [seat.dataset.seat, seat]));
  keys.forEach((key, i) => {
    let seat = there.get(key);
    if (!seat) {
      const made = section.querySelector(`[data-blank="${kind}"]`).content.querySelector('[data-seat]');
      seat = document.importNode(made, true);
      seat.dataset.seat = key;
      rename(seat, key);
    }
    there.delete(key);
    if (home.children[i] !== seat) home.insertBefore(seat, home.children[i] ?? null);
    put(seat, 'slot', key.replace(/^\//, ''));
  });
  there.forEach(seat => seat.remove());
}

// rename gives a new picture its own names for title and description.
function rename(seat, key) {
  const svg = seat.querySelector('svg');
  if (!svg) return;
  const id = 'n-' + [...key].map(c => /[a-z0-9]/i.test(c) ? c : '-' + c.codePointAt(0).toString(16) + '-').join('');
  svg.querySelector('title').id = id + '-t';
  svg.querySelector('desc').id = id + '-d';
  svg.setAttribute('aria-labelledby', `${id}-t ${id}-d`);
}

// gone tells of a game that its slot has left; it reports whether it has.
function gone(section, state, game, words) {
  if (Object.keys(state.slots).length) return false;
  const ended = (state.unstored ?? []).find(g => `${g.pair}.${g.leg}` === game);
  if (ended) put(section, 'words', ending(ended, words));
  else if (!state.over) location.reload(); // it is stored, and has a page of its own
  return true;
}

const ending = (g, words) => `${words[g.outcome] ?? g.outcome} · ${words[g.termination] ?? g.termination}`;

// fill makes a seat say what is known of its slot.
function fill(seat, slot, kinds, words, games) {
  const board = slot.board, name = board ? `${board.pair}.${board.leg}` : '';
  put(seat, 'words', board?.outcome ? ending(board, words) : words[slot.phase] ?? slot.phase);
  put(seat, 'game', name);
  seat.querySelectorAll('a[data-f="game"], a[data-link]').forEach(a => name ? a.setAttribute('href', games + name) : a.removeAttribute('href'));
  put(seat, 'ply', board?.ply || '');
  for (const side of seat.querySelectorAll('[data-side]')) {
    const c = side.dataset.side === 'black' ? 0 : 1;
    put(side, 'name', plain(board?.[side.dataset.side] ?? ''));
    put(side, 'score', evaluation(board?.thoughts[c], words));
    put(side, 'clock', clock(board?.clocks_ms?.[c]));
  }
  seat.querySelectorAll('[data-vote]').forEach(box => vote(box, board?.thoughts[box.dataset.vote === 'black' ? 0 : 1], words));
  const picture = seat.querySelector('[data-f="picture"]'), sfen = board?.position ?? '9/9/9/9/9/9/9/9/9 b - 1';
  if (!picture || picture.dataset.sfen === sfen) return;
  picture.dataset.sfen = sfen;
  const last = board?.thoughts.find(t => t && t.ply === board.ply);
  draw(picture.querySelector('svg'), kinds, sfen, last?.move ?? '', board ? `${board.black ?? ''} – ${board.white ?? ''}, ${board.ply}` : '–');
}

// ---- a tune

// tuned shows the state of a tune. Its charts come with the page's fresh parts.
function tuned(section, tune) {
  const box = section.querySelector('[data-tune]');
  if (!box) return;
  box.hidden = !tune;
  const told = JSON.stringify(tune ?? null);
  if (!tune || box.told === told) return;
  box.told = told;
  const points = Object.keys(tune.track.points ?? {}).map(Number).sort((a, b) => a - b).map(at => tune.track.points[at]);
  const now = points.at(-1);
  put(box, 'blocks', `${tune.track.latest} / ${tune.blocks}`);
  put(box, 'spread', now ? '× ' + now.spread.toFixed(2) : '–');
  put(box, 'lost', now?.lost_elo === undefined ? '–' : (Math.round(now.lost_elo * 10) / 10 + 0).toFixed(1).replace('-', '−') + (tune.target ? ` (→ ${tune.target})` : ''));
  put(box, 'equal', now?.equal ?? 0);
  put(box, 'forfeits', tune.forfeits ?? 0);
  const answer = tune.params.filter(p => !p.unused && tune.candidate?.[p.name] !== undefined).map(p => `${plain(p.name)} ${plain(tune.candidate[p.name])}`);
  put(box, 'answer', answer.join(', '));
  put(box, 'judges', (tune.validations ?? []).map(plain).join(', '));
  box.querySelector('[data-answer]').hidden = !answer.length;
  box.querySelector('[data-judges]').hidden = !tune.validations?.length;
}

// vote makes a box say how a council came to its last move; other players have none.
function vote(box, thought, words) {
  const v = thought?.vote, ballots = v?.ballots ?? [], told = JSON.stringify(v ?? null);
  if (box.told === told) return;
  box.told = told;
  box.open ||= box.hidden;
  box.hidden = !v;
  const said = b => b.kind === 'move' ? moved(b, words) : words['ballot ' + b.kind] ?? b.kind, winner = ballots.find(b => b.played);
  put(box, 'split', v?.split ?? '');
  put(box, 'voted', !v ? '' : winner ? said(winner) : thought.move);
  put(box, 'by', !v || v.by === 'rule' ? '' : words['by ' + v.by] ?? v.by);
  put(box, 'others', v?.others ? words['and %d more'].replace('%d', v.others) : '');
  box.querySelector('tbody').replaceChildren(...ballots.map(b => {
    const row = document.createElement('tr');
    row.className = b.played ? 'for' : '';
    for (const [tag, text] of [['th', plain(b.member)], ['td', said(b) + (b.played ? ' ✓' : '')], ['td', score(b.score, words)], ['td', weight(b.weight)]]) {
      row.appendChild(document.createElement(tag)).textContent = text;
    }
    row.firstChild.scope = 'row';
    [row.cells[2], row.cells[3]].forEach(cell => { cell.className = 'num'; });
    return row;
  }));
}

document.querySelectorAll('[data-live]').forEach(follow);
