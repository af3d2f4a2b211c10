// Draws the charts of internal/svg.Plot anew with uPlot, so that readers can point at values, drag to
// zoom and click twice for the whole. Without this script a chart is the drawing that the server made.

let library = null; // promised: uPlot and its styles

const loaded = () => library ??= new Promise((done, failed) => {
  const style = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: '/assets/uPlot.min.css' });
  const script = Object.assign(document.createElement('script'), { src: '/assets/uPlot.min.js', onload: done, onerror: failed });
  document.head.append(style, script);
});

const whole = Array.from({ length: 24 }, (_, i) => [1, 2, 5][i % 3] * 10 ** Math.floor(i / 3)); // steps of the horizontal axis, which counts pairs

const written = (v, percent) => {
  if (v === null || v === undefined) return '–';
  const shown = percent ? 100 * v : v, size = Math.abs(shown);
  const digits = percent || size >= 100 ? 1 : size >= 10 ? 2 : 3;
  return (shown < 0 ? '−' : '') + Number(size.toFixed(digits)).toLocaleString('en') + (percent ? '%' : '');
};

function draw(figure) {
  const data = JSON.parse(figure.dataset.plot), svg = figure.querySelector('svg'), items = figure.querySelectorAll('.legend li');
  const style = getComputedStyle(figure), colour = name => style.getPropertyValue('--' + name).trim();
  const tables = [], series = [{}], bands = [], names = [...items].map(item => item.textContent), rows = [];
  const add = (xs, ys, settings) => { tables.push([xs, ys]); return series.push({ spanGaps: true, points: { show: false }, ...settings }) - 1; };
  for (const line of data.lines) {
    const stroke = colour(line.class);
    if (line.level) rows.push([add([0, data.last], [line.y[0], line.y[0]], { stroke, width: 1.5, dash: [6, 5] })]);
    else if (line.lo) {
      const hi = add(line.x, line.hi, { width: 0 }), lo = add(line.x, line.lo, { width: 0 });
      bands.push({ series: [hi, lo], fill: stroke + '29' });
      rows.push([add(line.x, line.y, { stroke, width: 2 }), lo, hi]);
    } else rows.push([add(line.x, line.y, { stroke, width: 2 })]);
  }
  const axis = label => ({ label, labelSize: 20, labelFont: '12px system-ui', font: '12px system-ui', stroke: colour('dim'), grid: { stroke: colour('line'), width: 1 }, ticks: { show: false } });
  const size = () => { const w = figure.clientWidth; return { width: w, height: Math.round(Math.min(300, Math.max(180, 0.4 * w))) }; };
  const chart = new window.uPlot({
    ...size(), series, bands, legend: { show: false }, padding: [8, 18, 0, 0],
    scales: { x: { time: false }, y: { range: () => data.range } },
    axes: [{ ...axis(data.x), size: 28, incrs: whole, values: (u, ticks) => ticks.map(v => written(v)) }, { ...axis(data.y), size: 52, values: (u, ticks) => ticks.map(v => written(v, data.percent)) }],
    cursor: { y: false, drag: { x: true, y: false } },
    hooks: { setCursor: [u => items.forEach((item, i) => {
      const at = u.cursor.idx, value = n => written(u.data[n][at], data.percent), [own, lo, hi] = rows[i];
      const near = data.lines[i].level || at === null || at === undefined || u.data[own][at] === null;
      item.textContent = near ? names[i] : `${names[i]} ${value(own)}${lo ? ` [${value(lo)}, ${value(hi)}]` : ''} · ${written(u.data[0][at])} ${data.x}`;
    })] },
  }, window.uPlot.join(tables));
  chart.root.setAttribute('role', 'img');
  chart.root.setAttribute('aria-label', svg.getAttribute('aria-label'));
  svg.after(chart.root);
  svg.remove();
  figure.drawn = { chart, size };
}

const sizes = new ResizeObserver(changes => {
  for (const { target } of changes) {
    if (!target.clientWidth) continue; // within closed details
    if (target.drawn) target.drawn.chart.setSize(target.drawn.size());
    else loaded().then(() => target.drawn || draw(target), () => sizes.unobserve(target));
  }
});

const begin = () => document.querySelectorAll('figure[data-plot]').forEach(figure => { if (!figure.seen) sizes.observe(figure); figure.seen = true; });
begin();
document.addEventListener('fresh', begin);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => document.querySelectorAll('figure[data-plot]').forEach(({ drawn }) => drawn && location.reload()));
