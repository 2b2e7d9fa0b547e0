'use strict';
// Everything on the page is made here from the JSON in #data. Text of the user's only ever becomes the text of a node.
(() => {
  const data = JSON.parse(document.getElementById('data').textContent);
  const result = data.result;
  const main = document.getElementById('main');
  const SVG = 'http://www.w3.org/2000/svg';

  // ---- elements

  function fill(element, attributes, children) {
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (key === 'on') for (const [event, action] of Object.entries(value)) element.addEventListener(event, action);
      else element.setAttribute(key, value === true ? '' : value);
    }
    for (const child of children.flat(Infinity)) {
      if (child !== null && child !== undefined && child !== false) element.append(child);
    }
    return element;
  }
  const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
  // A name of the user's: kept apart from the direction of the text around it, and cut where it is long.
  const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');
  const shortened = (text, length) => [...text].length > length ? [...text].slice(0, length - 1).join('') + '…' : text;
  const named = (text, most = 200) => h('bdi', {class: 'name', title: text.length > Math.min(most, 60) ? shortened(text, 300) : null}, shortened(text, most));

  // ---- numbers as text

  const number = (v) => v === null || v === undefined ? '–' : v.toFixed(v !== 0 && Math.abs(v) < 0.01 ? 4 : 3).replace(/^-(0\.0+)$/, '$1');
  const small = (v) => v === 0 || Math.abs(v) >= 0.001 ? number(v) : Math.abs(v) < 1e-6 ? v.toExponential(1) : v.toFixed(1 - Math.floor(Math.log10(Math.abs(v))));
  const percent = (v) => {
    const hundred = 100 * v;
    return (hundred !== 0 && Math.abs(hundred) < 10 ? hundred.toPrecision(2) : hundred.toFixed(0)) + ' %';
  };
  const percentTick = (v) => +(100 * v).toPrecision(3) + ' %';
  const count = (v) => v.toLocaleString('en');
  const plural = (n, word) => count(n) + ' ' + word + (n === 1 ? '' : 's');
  const interval = (i) => i ? number(i.low) + ' to ' + number(i.high) : '–';
  const levelOf = (i) => i ? +(100 * i.level).toPrecision(4) + ' %' : '';

  // ---- values on hover, by touch and by arrow keys

  const tip = document.body.appendChild(h('div', {class: 'tip', role: 'status', 'aria-live': 'polite'}));
  let lit = null;
  function show(mark) {
    if (lit) lit.classList.remove('on');
    lit = mark;
    tip.classList.toggle('shown', mark !== null);
    if (!mark) return;
    mark.classList.add('on');
    tip.textContent = mark.dataset.tip;
    const box = mark.getBoundingClientRect();
    const own = tip.getBoundingClientRect();
    const left = Math.min(Math.max(6, box.left + box.width / 2 - own.width / 2), innerWidth - own.width - 6);
    const above = box.top - own.height - 8;
    tip.style.left = left + 'px';
    tip.style.top = (above > 4 ? above : Math.min(box.bottom + 8, innerHeight - own.height - 4)) + 'px';
  }
  addEventListener('scroll', () => show(null), {passive: true, capture: true});
  addEventListener('keydown', (event) => { if (event.key === 'Escape') show(null); });

  const tipped = (text, ...children) => s('g', {class: 'mark', 'data-tip': text}, ...children);

  /// A drawing with its table. `draw(width)` returns an SVG element; it is drawn anew where the width changes.
  function figure(label, draw, table, legend) {
    const holder = h('div', {class: 'chart', tabindex: 0, role: 'group', 'aria-label': label + ' The arrow keys read out the values.'});
    let marks = [];
    let at = -1;
    let drawn = 0;
    const redraw = () => {
      const width = Math.floor(holder.clientWidth);
      if (width < 40 || width === drawn) return;
      drawn = width;
      const picture = draw(width);
      picture.setAttribute('role', 'img');
      picture.setAttribute('aria-label', label);
      holder.replaceChildren(picture);
      marks = [...picture.querySelectorAll('.mark')];
      at = -1;
    };
    holder.addEventListener('pointerover', (event) => show(event.target.closest('.mark')));
    holder.addEventListener('pointerleave', () => show(null));
    holder.addEventListener('blur', () => { at = -1; show(null); });
    holder.addEventListener('keydown', (event) => {
      const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
      if (!step || marks.length === 0) return;
      event.preventDefault();
      at = at < 0 ? (step > 0 ? 0 : marks.length - 1) : (at + step + marks.length) % marks.length;
      show(marks[at]);
    });
    new ResizeObserver(redraw).observe(holder);
    return h('figure', {}, holder, legend ? h('ul', {class: 'legend'}, legend) : null,
      table ? h('details', {}, h('summary', {}, 'Show as a table'), table) : null);
  }

  /// `columns`: heading and, for text, a second entry; `rows`: cells as text or nodes.
  function table(columns, rows, chosen) {
    const css = columns.map((column) => Array.isArray(column) ? column[1] : null);
    return h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Table'},
      h('table', {},
        h('thead', {}, h('tr', {}, columns.map((column, j) => h('th', {scope: 'col', class: css[j]}, Array.isArray(column) ? column[0] : column)))),
        h('tbody', {}, rows.map((row, i) => h('tr', {class: chosen === i ? 'chosen' : null},
          row.map((cell, j) => h('td', {class: css[j]}, cell)))))));
  }
  const TEXT = (heading) => [heading, 'text'];
  const LABEL = ['', 'text label'];
  const NAME = (heading) => [heading, 'text name-cell'];
  const LONG_NAME = (heading) => [heading, 'text name-cell long'];

  const key = (shape, ...words) => h('li', {}, s('svg', {viewBox: '0 0 21 14', 'aria-hidden': 'true'}, shape), h('span', {}, words));
  const swatch = (css) => s('rect', {x: 2, y: 2, width: 17, height: 10, class: css});
  const dot = (css) => s('circle', {cx: 10, cy: 7, r: 5, class: css});
  const rule = (css) => s('line', {x1: 1, x2: 20, y1: 7, y2: 7, class: css});

  const ticks = (max, wanted) => {
    const power = 10 ** Math.floor(Math.log10(max / wanted));
    const step = [1, 2, 5, 10].map((f) => f * power).find((candidate) => max / candidate <= wanted);
    const values = [];
    for (let k = 0; k * step <= max * (1 + 1e-9); ++k) values.push(+(k * step).toPrecision(6));
    return values;
  };
  const measure = document.createElement('canvas').getContext('2d');
  const textWidth = (text, strong) => { measure.font = (strong ? '600 ' : '') + '12px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif'; return measure.measureText(text).width; };

  /// The beginning of a text that is at most so wide.
  function fitted(text, width, strong) {
    let length = Math.min(30, [...text].length);
    while (length > 1 && textWidth(shortened(text, length), strong) > width) --length;
    return shortened(text, length);
  }

  // ---- sections

  const contents = [];
  const shortTitles = {overview: 'Answer', families: 'Classifiers', posteriors: 'Row by row', learning: 'More rows', 'self-check': 'Self-check', support: 'One-sided values', columns: 'Columns',
    divergences: 'Other measures', protocol: 'Protocol', causes: 'Columns', margins: 'What to repair', pairs: 'Pairs', slices: 'Slices', rows: 'Rows', ranking: 'Ranking', differences: 'Differences', notes: 'Notes'};
  function section(id, title, ...children) {
    const content = children.flat().filter(Boolean);
    contents.push([id, id === 'ranking' && data.compare.over_time ? 'Drift' : shortTitles[id] || title]);
    return main.appendChild(h('section', {id, 'aria-labelledby': id + '-title'}, h('h2', {id: id + '-title'}, title), content));
  }
  const note = (...words) => h('p', {class: 'soft'}, ...words);

  function warningsBox(all) {
    const warnings = (all || []).filter((w, i) => all.findIndex((other) => other.message === w.message) === i);
    if (warnings.length === 0) return null;
    return h('div', {class: 'warnings', role: 'note'}, h('h3', {}, plural(warnings.length, 'warning')),
      h('ul', {}, warnings.map((w) => h('li', {}, w.message.charAt(0).toUpperCase() + w.message.slice(1), ' ', h('code', {}, w.code)))));
  }

  // ---- the scale from 0 to 1

  function scaleFigure(value, range, marks) {
    const textOf = (mark) => mark.text || number(mark.value);
    const draw = (width) => {
      const left = 12, right = width - 12;
      const x = (v) => left + (right - left) * Math.min(1, Math.max(0, v));
      const picture = s('svg', {width, height: 78, viewBox: `0 0 ${width} 78`});
      picture.append(s('line', {x1: left, x2: right, y1: 36, y2: 36, class: 'axis'}));
      for (const v of width < 420 ? [0, 0.5, 1] : [0, 0.2, 0.4, 0.6, 0.8, 1]) {
        picture.append(s('line', {x1: x(v), x2: x(v), y1: 31, y2: 41, class: 'axis'}),
          s('text', {x: x(v), y: 56, class: 'tick', 'text-anchor': v === 0 ? 'start' : v === 1 ? 'end' : 'middle'}, String(v)));
      }
      picture.append(s('text', {x: left, y: 72, class: 'tick'}, 'same distribution'),
        s('text', {x: right, y: 72, class: 'tick', 'text-anchor': 'end'}, 'nothing in common'));
      if (range) {
        picture.append(tipped(`${levelOf(range)} interval: ${interval(range)}`,
          s('rect', {x: x(range.low), y: 27, width: Math.max(2, x(range.high) - x(range.low)), height: 18, rx: 4, class: 'e-fill area'})));
      }
      for (const mark of marks) {
        picture.append(tipped(`${mark.label}: ${textOf(mark)}`,
          s('path', {d: `M${x(mark.value)} 34 l-5.5 -11 h11 z`, class: mark.css}),
          s('rect', {x: x(mark.value) - 8, y: 14, width: 16, height: 24, class: 'hit'})));
      }
      picture.append(tipped('Estimate: ' + number(value), s('circle', {cx: x(value), cy: 36, r: 7, class: 'e-fill'})));
      return picture;
    };
    const legend = [key(dot('e-fill'), 'estimate ', h('b', {}, number(value)))];
    if (range) legend.push(key(swatch('e-fill area'), levelOf(range) + ' interval ', h('b', {}, interval(range))));
    for (const mark of marks) legend.push(key(s('path', {d: 'M10 13 l-6 -12 h12 z', class: mark.css}), mark.label + ' ', h('b', {}, textOf(mark))));
    const rows = [['estimate', number(value)]];
    if (range) rows.push([levelOf(range) + ' interval', interval(range)]);
    for (const mark of marks) rows.push([mark.label, textOf(mark)]);
    return figure(`Scale from 0 to 1: the estimate is ${number(value)}${range ? ', the interval ' + interval(range) : ''}.`, draw,
      table([TEXT(''), 'divergence'], rows), legend);
  }

  const rungNames = {
    as_stored: ['As stored', 'every digit counts'],
    common_grids: ['On common grids', 'number formats made equal'],
    content: ['Content', 'without formats and digits that cannot be resolved'],
  };

  function overview() {
    const marks = [{label: 'real against real', value: 0, css: 'good-fill', text: '0 by definition'}];
    if (result.lower_bound) marks.push({label: 'lower bound', value: result.lower_bound.value, css: 'p-fill'});
    if (result.noise_floor !== null && result.noise_floor !== undefined) marks.push({label: 'noise floor', value: result.noise_floor, css: 'soft-fill'});
    const range = result.confidence_interval;
    const ladder = result.ladder && result.ladder.length > 1 ? result.ladder : null;
    section('overview', 'The answer',
      h('p', {class: 'headline'}, h('span', {class: 'number'}, number(result.jsd)),
        h('span', {}, 'Jensen–Shannon divergence', range ? `, ${levelOf(range)} interval ${interval(range)}` : '')),
      h('div', {class: 'says'}, data.sentences.map((sentence) => h('p', {}, sentence))),
      scaleFigure(result.jsd, range, marks),
      ladder && h('ul', {class: 'ladder', 'aria-label': 'The divergence with and without number formats'}, ladder.map((rung) => {
        const [name, meaning] = rungNames[rung.rung] || [rung.rung, ''];
        return h('li', {}, h('div', {class: 'soft small'}, name), h('b', {}, number(rung.jsd)), h('span', {class: 'small'}, interval(rung.confidence_interval)),
          h('div', {class: 'soft small'}, meaning));
      })),
      warningsBox(explain ? explain.warnings.concat(result.warnings) : result.warnings));
  }

  // ---- intervals in rows: families, candidates

  /// `rows`: {label, value, low, high, css, tip, extra}; `extra` is text at the right end.
  function intervalChart(rows, wantedMax, axisTitle, band) {
    return (width) => {
      const gap = 28;
      const labelled = Math.min(0.36 * width, Math.max(...rows.map((row) => textWidth(shortened(row.label, 28), row.strong))) + 12);
      const extra = Math.max(0, ...rows.map((row) => row.extra ? textWidth(row.extra) + 12 : 0));
      const left = labelled + 14, right = width - extra - 10;
      const max = Math.min(1, wantedMax);
      const x = (v) => left + (right - left) * Math.min(1, Math.max(0, v / max));
      const bottom = rows.length * gap + 8;
      const height = bottom + 40;
      const picture = s('svg', {width, height, viewBox: `0 0 ${width} ${height}`});
      for (const v of ticks(max, width < 480 ? 4 : 8)) {
        picture.append(s('line', {x1: x(v), x2: x(v), y1: 0, y2: bottom, class: 'grid'}),
          s('text', {x: x(v), y: bottom + 16, class: 'tick', 'text-anchor': 'middle'}, String(v)));
      }
      picture.append(s('text', {x: (left + right) / 2, y: bottom + 34, class: 'tick', 'text-anchor': 'middle'}, axisTitle));
      if (band) {
        picture.append(s('rect', {x: x(band.low), y: 0, width: Math.max(2, x(band.high) - x(band.low)), height: bottom, class: 'e-fill band'}),
          s('line', {x1: x(band.value), x2: x(band.value), y1: 0, y2: bottom, class: 'e-line thin'}));
      }
      rows.forEach((row, i) => {
        const y = i * gap + gap / 2 + 4;
        picture.append(tipped(row.tip,
          s('rect', {x: 0, y: y - gap / 2, width, height: gap, class: 'hit'}),
          s('text', {x: labelled, y: y + 4, 'text-anchor': 'end', class: row.strong ? 'strong' : null}, fitted(row.label, labelled, row.strong)),
          row.high > row.low && s('line', {x1: x(row.low), x2: x(row.high), y1: y, y2: y, class: row.line + ' thick'}),
          s('circle', {cx: x(row.value), cy: y, r: 5, class: row.css}),
          row.extra && s('text', {x: width - 2, y: y + 4, 'text-anchor': 'end', class: 'tick'}, row.extra)));
      });
      return picture;
    };
  }

  function families() {
    const list = result.families;
    if (list.length === 0) return;
    const stacked = result.selected_family === null;
    const level = result.confidence_interval ? result.confidence_interval.level : 0.95;
    const z = 1.96;
    const rows = list.map((family) => {
      const error = family.standard_error || 0;
      const used = stacked ? family.weight > 0 : family.name === result.selected_family;
      return {label: family.name, value: family.jsd, low: Math.max(0, family.jsd - z * error), high: Math.min(1, family.jsd + z * error),
        css: used ? 'p-fill' : 'hollow', line: used ? 'p-line' : 'soft-line', strong: used,
        extra: stacked ? 'weight ' + (family.weight || 0).toFixed(2) : null,
        tip: `${shortened(family.name, 60)}: ${number(family.jsd)} ± ${number(family.standard_error)}` +
          (stacked ? `\nweight in the stack ${(family.weight || 0).toFixed(2)}` : '') + (family.auc !== null ? `\nAUC ${number(family.auc)}` : '')};
    });
    const range = result.confidence_interval;
    const max = 1.05 * Math.max(0.01, range ? range.high : result.jsd, ...rows.map((row) => row.high));
    const headings = [NAME('classifier'), 'divergence', 'standard error', 'log-loss (nats)', 'AUC'].concat(stacked ? ['weight'] : [], ['seconds']);
    section('families', 'The classifiers',
      explain && explain.rung !== 'as_stored' && h('p', {}, 'From here on, the numbers are those of the tables as stored, in which formats count.'),
      note(stacked
        ? 'Each classifier on its own, on rows it had not seen. A low value means that this kind of classifier sees little of the difference. The estimate combines all of them with the weights shown.'
        : list.length > 1 ? 'Each classifier on its own. The estimate comes from the classifier with the lowest log-loss on the validation rows.' : 'The classifier behind the estimate.'),
      figure(`Divergence found by each of ${plural(list.length, 'classifier')}.`,
        intervalChart(rows, max, 'divergence (bits)', range && {low: range.low, high: range.high, value: result.jsd}),
        table(headings, list.map((family) => [named(family.name), number(family.jsd), number(family.standard_error), number(family.validation_log_loss), number(family.auc)]
          .concat(stacked ? [(family.weight || 0).toFixed(2)] : [], [family.seconds.toFixed(2)]))),
        [key(dot('p-fill'), stacked ? 'in the combination' : 'chosen'), key(dot('hollow'), stacked ? 'adds nothing to the combination' : 'not chosen'),
          key(rule('p-line thick'), '± 1.96 standard errors'), key(swatch('e-fill band'), `estimate with ${levelOf({level})} interval`)]));
  }

  // ---- posteriors

  /// Overlaid bars of P and Q; `axis(picture, x, y)` draws the marks below. `apart`: the last bar stands on its own.
  function overlaid(p, q, tips, axis, height, apart) {
    return (width) => {
      const left = 40, right = width - 6, top = 6, bottom = height - 34;
      const max = Math.max(1e-9, ...p, ...q);
      const bars = apart ? p.length - 1 : p.length, gap = apart ? 1 : 0;
      const x = (i) => left + (right - left) * i / (p.length + gap);
      const y = (v) => bottom - (bottom - top) * v / max;
      const picture = s('svg', {width, height, viewBox: `0 0 ${width} ${height}`});
      for (const v of ticks(max, 4)) {
        picture.append(s('line', {x1: left, x2: right, y1: y(v), y2: y(v), class: 'grid'}),
          s('text', {x: left - 5, y: y(v) + 4, class: 'tick', 'text-anchor': 'end'}, percentTick(v)));
      }
      const steps = (values) => {
        let path = `M${x(0)} ${bottom}`;
        for (let i = 0; i < bars; ++i) path += `V${y(values[i]).toFixed(1)}H${x(i + 1).toFixed(1)}`;
        path += `V${bottom}`;
        if (apart) path += `M${x(bars + gap).toFixed(1)} ${bottom}V${y(values[bars]).toFixed(1)}H${x(bars + gap + 1).toFixed(1)}V${bottom}`;
        return path;
      };
      picture.append(s('path', {d: steps(p) + 'Z', class: 'p-fill area'}), s('path', {d: steps(q) + 'Z', class: 'q-fill area'}),
        s('path', {d: steps(p), class: 'p-line thin'}), s('path', {d: steps(q), class: 'q-line thin'}));
      picture.append(s('line', {x1: left, x2: right, y1: bottom, y2: bottom, class: 'axis'}));
      axis(picture, x, bottom, width);
      p.forEach((_, i) => picture.append(tipped(tips(i), s('rect', {x: x(i < bars ? i : i + gap), y: top, width: x(1) - x(0), height: bottom - top, class: 'hit'}))));
      return picture;
    };
  }
  const bothKeys = (area = ' area') => [key(swatch('p-fill' + area), 'rows of P'), key(swatch('q-fill' + area), 'rows of Q')];

  function posteriors() {
    const found = result.posteriors;
    if (!found) return;
    const bins = found.p.length;
    const ends = (i) => `${(i / bins).toFixed(3)} to ${((i + 1) / bins).toFixed(3)}`;
    const histogram = figure('How confident the classifiers are about each row: shares of the rows of P and of Q by the predicted probability of P.',
      overlaid(found.p, found.q, (i) => `probability of P ${ends(i)}\nP: ${percent(found.p[i])} of its rows\nQ: ${percent(found.q[i])} of its rows`,
        (picture, x, bottom) => {
          for (const v of [0, 0.25, 0.5, 0.75, 1]) picture.append(s('text', {x: x(v * bins), y: bottom + 15, class: 'tick', 'text-anchor': 'middle'}, String(v)));
          picture.append(s('text', {x: x(bins / 2), y: bottom + 31, class: 'tick', 'text-anchor': 'middle'}, 'predicted probability that the row is from P'));
        }, 250),
      table([TEXT('probability of P'), 'share of P', 'share of Q'], found.p.map((_, i) => [ends(i), percent(found.p[i]), percent(found.q[i])])), bothKeys());
    const curve = found.reliability;
    const diagram = figure('Calibration: predicted share of P against the observed share.', (width) => {
      const side = Math.min(width - 50, 250), left = 44, height = side + 46;
      const x = (v) => left + side * v, y = (v) => 6 + side * (1 - v);
      const picture = s('svg', {width, height, viewBox: `0 0 ${width} ${height}`});
      for (const v of [0, 0.25, 0.5, 0.75, 1]) {
        picture.append(s('line', {x1: x(v), x2: x(v), y1: y(0), y2: y(1), class: 'grid'}), s('line', {x1: x(0), x2: x(1), y1: y(v), y2: y(v), class: 'grid'}),
          s('text', {x: x(v), y: y(0) + 15, class: 'tick', 'text-anchor': 'middle'}, String(v)), s('text', {x: left - 6, y: y(v) + 4, class: 'tick', 'text-anchor': 'end'}, String(v)));
      }
      picture.append(s('line', {x1: x(0), y1: y(0), x2: x(1), y2: y(1), class: 'soft-line dash thin'}),
        s('text', {x: x(0.5), y: y(0) + 32, class: 'tick', 'text-anchor': 'middle'}, 'predicted probability of P'),
        s('text', {x: 11, y: y(0.5), class: 'tick', 'text-anchor': 'middle', transform: `rotate(-90 11 ${y(0.5)})`}, 'observed share of P'));
      for (const bin of curve) {
        picture.append(tipped(`predicted ${number(bin.predicted)}\nobserved ${number(bin.observed)} ± ${number(bin.standard_error)}\n${plural(bin.rows, 'row')}`,
          s('line', {x1: x(bin.predicted), x2: x(bin.predicted), y1: y(Math.max(0, bin.observed - 1.96 * bin.standard_error)), y2: y(Math.min(1, bin.observed + 1.96 * bin.standard_error)), class: 'e-line thick'}),
          s('circle', {cx: x(bin.predicted), cy: y(bin.observed), r: 5, class: 'e-fill'}), s('circle', {cx: x(bin.predicted), cy: y(bin.observed), r: 11, class: 'hit'})));
      }
      return picture;
    }, table(['predicted', 'observed', 'standard error', 'rows'], curve.map((bin) => [number(bin.predicted), number(bin.observed), number(bin.standard_error), count(bin.rows)])),
    [key(rule('soft-line dash thin'), 'perfectly calibrated'), key(dot('e-fill'), 'held-out rows, ± 1.96 standard errors')]);
    section('posteriors', 'Row by row',
      note('For each row, classifiers that had not seen it predict the probability that it belongs to P. The less the two histograms overlap, the further apart the tables are.'),
      h('div', {class: 'pair'}, h('div', {}, h('h3', {}, 'How confident the classifiers are'), histogram),
        h('div', {}, h('h3', {}, 'Whether that confidence is justified'), diagram)));
  }

  // ---- learning curve

  function learningCurve() {
    const curve = result.learning_curve;
    if (!curve || curve.length === 0 || !result.held_out) return;
    const range = result.confidence_interval;
    const step = result.raw - result.held_out.jsd;
    const points = curve.map((point) => ({label: percent(point.fraction) + ' of the rows', value: Math.max(0, point.jsd)}));
    points.push({label: 'estimate', value: result.jsd, limit: true});
    const max = 1.1 * Math.max(0.01, range ? range.high : 0, ...points.map((point) => point.value));
    const draw = (width) => {
      const left = 46, right = width - 20, top = 8, bottom = 176, height = 212;
      const x = (i) => left + 30 + (right - left - 60) * i / (points.length - 1);
      const y = (v) => bottom - (bottom - top) * Math.min(1, v / max);
      const picture = s('svg', {width, height, viewBox: `0 0 ${width} ${height}`});
      for (const v of ticks(max, 5)) {
        picture.append(s('line', {x1: left, x2: right, y1: y(v), y2: y(v), class: 'grid'}), s('text', {x: left - 5, y: y(v) + 4, class: 'tick', 'text-anchor': 'end'}, String(v)));
      }
      for (let i = 0; i + 1 < points.length; ++i) {
        picture.append(s('line', {x1: x(i), x2: x(i + 1), y1: y(points[i].value), y2: y(points[i + 1].value), class: points[i + 1].limit ? 'e-line thin dash' : 'p-line thin'}));
      }
      points.forEach((point, i) => {
        picture.append(tipped(`${point.label}: ${number(point.value)}` + (point.limit && range ? `\n${levelOf(range)} interval ${interval(range)}` : ''),
          s('rect', {x: x(i) - 28, y: top, width: 56, height: bottom - top, class: 'hit'}),
          point.limit && range && s('line', {x1: x(i), x2: x(i), y1: y(range.low), y2: y(range.high), class: 'e-line thick'}),
          s('circle', {cx: x(i), cy: y(point.value), r: 5.5, class: point.limit ? 'e-fill' : 'p-fill'})),
        s('text', {x: x(i), y: bottom + 18, class: 'tick', 'text-anchor': 'middle'}, point.label));
      });
      return picture;
    };
    section('learning', 'Would more rows change the answer?',
      note(Math.abs(step) < 0.0005
        ? 'The classifiers found as much with half of the training rows as with all of them, so the estimate is what they found, without extrapolation.'
        : `With all training rows the classifiers found ${number(result.held_out.jsd)}. This many rows cannot teach them everything: the estimate adds what classifiers missed on similar pairs of tables with a known divergence` + (step > 0.03 ? '. The added part is large; more rows would make the estimate more certain.' : '.')),
      figure('Divergence found with half of the training rows, with all of them, and the estimate.', draw,
        table([TEXT('training rows'), 'divergence'], points.map((point) => [point.label, number(point.value)])),
        [key(dot('p-fill'), 'found on held-out rows'), key(dot('e-fill'), 'estimate with interval')]));
  }

  // ---- the same rows, divided anew so that the answer is known

  function selfCheck() {
    const check = result.self_check;
    if (!check) return;
    const name = (refit) => refit.strength === null ? refit.log_ratio : `log-odds × ${refit.strength.toFixed(2)}`;
    const refits = [...check.refits].sort((a, b) => (a.source === b.source ? a.known - b.known : a.source === 'stack' ? -1 : 1));
    const what = {stack: 'the fitted log-odds', random: 'random functions of the columns'};
    section('self-check', 'Is the estimate right when the answer is known?',
      note('The same rows were re-split into P and Q with known probabilities and estimated in the same way as the tables themselves' + (check.rung === 'as_stored' ? '.' : `, on the rung ${check.rung}.`)),
      h('ul', {}, check.sources.map((source) => h('li', {}, `Re-split by ${what[source.source]}: the interval contains the known divergence in ${source.covered} of ${source.refits} refits; on average, the estimate is ${number(Math.abs(source.bias))} too ${source.bias < 0 ? 'low' : 'high'}. `
        + (source.implied_jsd === null ? `The observed estimate of ${number(check.observed)} is outside the range of these refits.` : `A true divergence of ${number(source.implied_jsd)} would give estimates like the observed ${number(check.observed)}.`)))),
      table([TEXT('split by'), 'known', 'estimate', 'interval', TEXT('covered')],
        refits.map((refit) => [name(refit), number(refit.known), number(refit.jsd), interval(refit.confidence_interval), refit.covered ? 'yes' : 'no'])));
  }

  // ---- findings on the values that the tables can hold

  const kinds = {lattice: 'number format', precision: 'number format', atoms: 'repeated values', constant: 'a constant', one_sided_categories: 'categories', one_sided_range: 'range', missing: 'missing values',
    relation: 'relation of columns', copies: 'copied rows', duplicates: 'repeated rows'};
  function support() {
    const found = result.support;
    if (!found || found.mismatches.length === 0) return;
    const rows = found.mismatches.map((finding) => [finding.column === null ? h('span', {class: 'soft'}, 'whole rows') : named(finding.column),
      kinds[finding.kind] || finding.kind.replaceAll('_', ' '), percent(finding.share_p), percent(finding.share_q), h('span', {}, finding.message)]);
    section('support', 'Values or relations found in only one table',
      note('Findings like these can be enough to tell the tables apart: a rounded column, a category or a range that never occurs in the other table, or copied rows.'),
      longTable([NAME('column'), TEXT('what'), 'rows of P', 'rows of Q', ['finding', 'text long']], rows, found.mismatches.map((finding) => finding.column || ''), 'finding'),
      data.totals.findings > rows.length && note(`The first ${count(rows.length)} of ${plural(data.totals.findings, 'finding')}; the JSON result lists them all.`));
  }

  function dateParts() {
    const parts = result.support && result.support.date_parts;
    if (!parts || parts.length === 0) return;
    section('dates', 'Date parts that differ',
      note('For each date column, the part that differs most, with its divergence on its own.'),
      longTable([NAME('column'), TEXT('part'), 'JSD', ['what', 'text long']], parts.map((part) => [named(part.column), part.part, number(part.jsd), h('span', {}, part.message)]),
        parts.map((part) => part.column), 'column'),
      data.totals.date_parts > parts.length && note(`The first ${count(parts.length)} of ${plural(data.totals.date_parts, 'column')}; the JSON result lists them all.`));
  }

  /// A table of which the first rows are shown, with a filter by name, if there are `names`, where it is long.
  function longTable(columns, rows, names, what, expand, first = 40) {
    const css = columns.map((column) => Array.isArray(column) ? column[1] : null);
    const body = h('tbody');
    let shown = first;
    let wanted = '';
    const more = h('button', {class: 'more', type: 'button', on: {click: () => { shown = shown < rows.length && shown < first * 5 ? first * 5 : rows.length; redraw(); }}});
    const state = h('span', {class: 'soft', role: 'status'});
    function redraw() {
      const matching = [];
      rows.forEach((_, i) => { if (wanted === '' || names[i].toLowerCase().includes(wanted)) matching.push(i); });
      const visible = matching.slice(0, shown);
      body.replaceChildren(...visible.map((i) => {
        const row = h('tr', {}, rows[i].map((cell, j) => h('td', {class: css[j]}, cell)));
        if (expand) expand(row, i, columns.length);
        return row;
      }));
      state.textContent = visible.length === matching.length ? plural(matching.length, what) : `${count(visible.length)} of ${plural(matching.length, what)}`;
      more.hidden = visible.length === matching.length;
      more.textContent = shown < first * 5 && matching.length > first * 5 ? `Show ${first * 5}` : 'Show all';
    }
    redraw();
    const search = h('input', {type: 'search', placeholder: 'Filter by name', 'aria-label': `Filter the ${what}s by name`, on: {input: (event) => { wanted = event.target.value.trim().toLowerCase(); redraw(); }}});
    return [rows.length > 12 ? h('div', {class: 'tools'}, names && search, state) : null,
      h('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': `Table of ${what}s`}, h('table', {class: css.some((each) => each && each.includes('long')) ? 'wide stacked' : 'wide'}, h('thead', {}, h('tr', {}, columns.map((column, j) => h('th', {scope: 'col', class: css[j]}, Array.isArray(column) ? column[0] : column)))), body)), more];
  }

  // ---- columns

  function columnFigure(chart) {
    const bins = chart.p.length;
    const label = (i) => chart.labels ? chart.labels[i]
      : i === 0 ? 'below ' + chart.edges[0] : i === bins - 1 ? chart.edges[bins - 2] + ' and above' : chart.edges[i - 1] + ' to ' + chart.edges[i];
    const p = chart.p.slice(), q = chart.q.slice(), labels = p.map((_, i) => label(i));
    if (chart.missing[0] > 0 || chart.missing[1] > 0) { p.push(chart.missing[0]); q.push(chart.missing[1]); labels.push('missing'); }
    const tips = (i) => `${shortened(labels[i], 80)}\nP: ${percent(p[i])} of its rows\nQ: ${percent(q[i])} of its rows`;
    const values = table([NAME('value'), 'share of P', 'share of Q'], labels.map((text, i) => [named(text), percent(p[i]), percent(q[i])]));
    const title = `Distribution of the column in P and in Q over ${plural(labels.length, 'bin')}.`;
    if (!chart.edges) return figure(title, sideBySide(p, q, labels, tips), values, bothKeys(''));
    return figure(title, overlaid(p, q, tips, (picture, x, bottom, width) => {
      const space = Math.max(...chart.edges.map((edge) => textWidth(edge))) + 14;
      const every = Math.max(1, Math.ceil(space / ((width - 46) / p.length)));
      chart.edges.forEach((edge, i) => {
        if (i % every === 0) picture.append(s('line', {x1: x(i + 1), x2: x(i + 1), y1: bottom, y2: bottom + 4, class: 'axis'}), s('text', {x: x(i + 1), y: bottom + 16, class: 'tick', 'text-anchor': 'middle'}, edge));
      });
      if (p.length > bins) picture.append(s('text', {x: x(p.length + 1), y: bottom + 30, class: 'tick', 'text-anchor': 'end'}, 'missing'));
    }, 220, p.length > bins), values, bothKeys());
  }

  /// Two bars for each category.
  function sideBySide(p, q, labels, tips) {
    return (width) => {
      const gap = 26, labelled = Math.min(0.42 * width, Math.max(...labels.map((label) => textWidth(shortened(label, 30)))) + 8);
      const max = Math.max(1e-9, ...p, ...q), right = width - 8, height = labels.length * gap + 26;
      const x = (v) => labelled + 6 + (right - labelled - 6) * v / max;
      const picture = s('svg', {width, height, viewBox: `0 0 ${width} ${height}`});
      for (const v of ticks(max, width < 480 ? 3 : 5)) {
        picture.append(s('line', {x1: x(v), x2: x(v), y1: 0, y2: height - 22, class: 'grid'}), s('text', {x: x(v), y: height - 6, class: 'tick', 'text-anchor': 'middle'}, percentTick(v)));
      }
      labels.forEach((label, i) => {
        const y = i * gap;
        picture.append(tipped(tips(i), s('rect', {x: 0, y, width, height: gap, class: 'hit'}),
          s('text', {x: labelled, y: y + 16, 'text-anchor': 'end'}, fitted(label, labelled)),
          s('rect', {x: x(0), y: y + 3, width: x(p[i]) - x(0), height: 9, class: 'p-fill'}), s('rect', {x: x(0), y: y + 13, width: x(q[i]) - x(0), height: 9, class: 'q-fill'})));
      });
      return picture;
    };
  }

  function barCell(share) {
    const bar = h('span', {class: 'bar'}); // the number stands beside it
    bar.style.width = (100 * Math.min(1, Math.max(0, share))).toFixed(1) + '%';
    return bar;
  }

  const charts = new Map((data.charts || []).map((chart) => [chart.name, chart]));
  let panels = 0;
  /// The name as a button that opens the column's distribution below its row.
  function openable(name, row, width, more) {
    const chart = charts.get(name);
    if (chart || more) opens(row, width, () => [chart ? columnFigure(chart) : null, more]);
  }
  /// The same for the two columns of a pair, side by side.
  function openablePair(names, row, width) {
    const found = names.map((name) => charts.get(name)).filter(Boolean);
    if (found.length > 0) opens(row, width, () => h('div', {class: 'pair'}, found.map((chart) => h('div', {}, h('h3', {}, named(chart.name)), columnFigure(chart)))));
  }
  function opens(row, width, content) {
    const id = 'panel-' + ++panels;
    const cell = row.querySelector('.name-cell');
    const label = cell.firstChild;
    const button = h('button', {class: 'open', type: 'button', 'aria-expanded': 'false', 'aria-controls': id});
    label.replaceWith(button);
    button.append(label);
    button.addEventListener('click', () => {
      const open = button.getAttribute('aria-expanded') === 'true';
      button.setAttribute('aria-expanded', String(!open));
      if (open) { row.nextSibling.remove(); return; }
      row.after(h('tr', {id}, h('td', {class: 'text', colspan: width}, h('div', {class: 'panel'}, content()))));
    });
  }

  function columns() {
    if (data.explain || !result.marginal || result.marginal.columns.length === 0) return;
    const list = result.marginal.columns.map((column) => ({name: column.name, value: column.synthcity, syndat: column.syndat}))
      .sort((a, b) => (b.value ?? -1) - (a.value ?? -1));
    const most = Math.max(1e-9, ...list.map((column) => column.value || 0));
    const leftOut = new Set(result.protocol.left_out_columns || []);
    const rows = list.map((column) => [leftOut.has(column.name) ? h('span', {}, named(column.name), ' (left out)') : named(column.name), number(column.value), barCell((column.value || 0) / most), number(column.syndat)]);
    section('columns', 'Column by column',
      note('How far apart each column is on its own, from 0 (the same) to 1 (nothing in common), as the tools synthcity and syndat measure it; largest first', charts.size > 0 ? '; select a name to see its distribution in both tables' : '',
        '. Differences that show only in several columns together do not appear here: every column can look the same although the tables differ.'),
      longTable([NAME('column'), 'synthcity', ['', 'text bar-cell'], 'syndat'], rows, list.map((column) => column.name), 'column', (row, i, width) => openable(list[i].name, row, width)),
      data.totals.columns > list.length && note(`Showing the ${count(list.length)} of ${plural(data.totals.columns, 'column')} that differ most.`),
      charts.size > 0 && charts.size < list.length && note(`Distributions are included for the ${plural(charts.size, 'column')} that differ most.`));
  }

  // ---- other divergences

  const others = {
    kl_pq: ['KL(P ‖ Q)', 'bits, unbounded'], kl_qp: ['KL(Q ‖ P)', 'bits, unbounded'], total_variation: ['Total variation', '0 to 1; share of rows that a perfect classifier could identify'],
    hellinger: ['Squared Hellinger distance', '0 to 1'], chi2: ['χ²(P ‖ Q)', 'unbounded'], auc: ['AUC', '0.5: guessing, 1: always right'],
    accuracy: ['Accuracy', 'of the best guess, 0.5 to 1'], pmse: ['pMSE', 'propensity score mean squared error, 0 to 0.25'], mmd2: ['MMD²', 'kernel distance, no classifier'],
    energy: ['Energy distance', 'no classifier'], sliced_wasserstein: ['Sliced Wasserstein', 'no classifier, in standard deviations'],
  };
  function divergences() {
    if (!result.divergences) return;
    const rows = Object.entries(others).filter(([name]) => name in result.divergences).map(([name, [label, meaning]]) => {
      const value = result.divergences[name];
      return [label, value ? (value.at_least ? '≥ ' : '') + number(value.value) : 'not defined', value ? number(value.standard_error) : '–', h('span', {class: 'soft'}, meaning)];
    });
    section('divergences', 'Other measures', note('Computed from the same rows, for comparison with other tools.'),
      table([TEXT('measure'), 'value', 'standard error', ['scale', 'text long']], rows));
  }

  // ---- protocol

  const repeated = (what) => data.command ? [note(`To repeat this ${what}, run:`), h('pre', {tabindex: 0}, h('code', {}, data.command))] : null;

  function protocol() {
    const record = result.protocol;
    const facts = [];
    const add = (label, value) => { if (value !== null && value !== undefined && value !== '') facts.push([label, value]); };
    add('protocol', record.name);
    add('families', h('span', {}, record.families.join(', ')));
    add('split', record.split);
    add('calibration', record.calibration);
    add('interval', record.uncertainty);
    add('seeds', String(record.seeds));
    record.inputs.forEach((input, i) => add('PQ'[i], h('span', {}, named(input.path || 'a table in memory'), ` · ${plural(input.rows, 'row')} · SHA-256 `, h('code', {}, input.sha256))));
    add('columns', count(data.totals.used_columns));
    if (record.left_out_columns && record.left_out_columns.length > 0) add('left out', h('span', {}, record.left_out_columns.slice(0, 20).map((name, i) => [i > 0 ? ', ' : '', named(name)])));
    add('versions', Object.entries(record.versions).map(([name, version]) => `${name} ${version}`).join(', '));
    add('time', `${result.runtime.seconds.toFixed(1)} s on ${plural(result.runtime.threads, 'thread')}`);
    if (explain) {
      add('explained', `the rung “${explain.rung}”, with the family ${explain.explainer.family}: ${plural(explain.explainer.rows, 'row')}, ${plural(explain.explainer.orders, 'order')} of the columns each`);
    }
    section('protocol', 'How this was measured',
      repeated(explain ? 'explanation' : 'estimate'),
      table([LABEL, TEXT('')], facts),
      h('details', {}, h('summary', {}, 'All options'), h('pre', {tabindex: 0}, JSON.stringify(record.options, null, 1))));
  }

  // ---- what causes it

  const explain = data.explain;
  const byChance = explain && explain.warnings.some((warning) => warning.code === 'nothing_to_explain');
  const bits = (b) => b ? number(b.value) : '–';
  const bitsWithInterval = (b) => b ? `${number(b.value)} (${interval(b.confidence_interval)})` : 'not computed';
  const kindNames = {shift: 'shift', scale: 'spread', shape: 'shape', category: 'category', range: 'range', date_part: 'part of the date', missing: 'missing values', format: 'format'};

  /// A bar from 0 with its interval, `largest` filling the cell.
  function bitsCell(value, largest) {
    const width = 120, x = (v) => Math.min(width, Math.max(0, width * v / largest));
    const range = value.confidence_interval;
    return s('svg', {width, height: 16, viewBox: `0 0 ${width} 16`, 'aria-hidden': 'true'}, s('title', {}, bitsWithInterval(value)),
      s('rect', {x: 0, y: 0, width, height: 16, class: 'hit'}),
      s('rect', {x: 0, y: 3, width: Math.max(1, x(value.value)), height: 10, rx: 2, class: 'e-fill'}),
      range && s('line', {x1: x(range.low), x2: x(range.high), y1: 8, y2: 8, class: 'soft-line thick'}));
  }

  function causes() {
    const list = explain.columns;
    const largest = Math.max(1e-9, ...list.map((column) => Math.max(column.share.value, column.share.confidence_interval.high)));
    const rows = list.map((column) => [named(column.name, 80), bits(column.share), bitsCell(column.share, largest), bits(column.alone), bits(column.only_here),
      h('span', {}, column.how.length > 0 ? column.how[0].message : column.share.confidence_interval.low > 0 ? 'not on its own, but in how it depends on other columns' : '')]);
    const [rung] = rungNames[explain.rung] || [explain.rung];
    section('causes', 'Columns that cause the divergence',
      result.ladder && result.ladder.length > 1 && h('p', {}, h('b', {}, `Explained here: “${rung}”. `), sentence(explain.rung_reason)),
      byChance && h('p', {}, h('b', {}, 'Chance alone can explain this divergence'), ', and so it can explain the columns, pairs, slices and rows below.'),
      note(`The classifiers found ${number(explain.held_out)} bits on rows they had not seen. The table shows each column's share of these bits, largest first; the shares add up. `,
        h('b', {}, 'Alone'), ': how far apart the tables are in this column alone. ', h('b', {}, 'Only here'), ': what is lost if the column is left out.',
        charts.size > 0 ? ' Select a name to see the distribution in both tables.' : ''),
      longTable([NAME('column'), 'share', ['', 'text picture'], 'alone', 'only here', ['how it differs', 'text long']], rows, list.map((column) => column.name), 'column', (row, i, width) => {
        openable(list[i].name, row, width, [
          h('p', {class: 'small'}, `Share ${bitsWithInterval(list[i].share)}, alone ${bitsWithInterval(list[i].alone)}, only here ${bitsWithInterval(list[i].only_here)}; ${levelOf(list[i].share.confidence_interval)} intervals in brackets.`),
          list[i].how.length > 1 ? h('ul', {}, list[i].how.map((way) => h('li', {}, h('b', {}, kindNames[way.kind] || way.kind), ': ', way.message))) : null]);
      }),
      data.totals.explained_columns > list.length && note(`The first ${count(list.length)} of ${plural(data.totals.explained_columns, 'column')}.`));
  }

  function margins() {
    if (byChance || explain.marginal_part === null && explain.repairs.length === 0) return;
    const parts = [];
    if (explain.marginal_part !== null) {
      const own = Math.max(0, explain.marginal_part), tied = Math.max(0, explain.dependence_part), all = own + tied || 1;
      parts.push(h('p', {}, 'Differences in single columns account for ', h('b', {}, number(explain.marginal_part) + ' bits'),
        ', differences in the dependence between columns for ', h('b', {}, number(explain.dependence_part) + ' bits'), '.'),
      figure(`Margins ${number(own)} bits, dependence ${number(tied)} bits.`, (width) => {
        const picture = s('svg', {width, height: 44, viewBox: `0 0 ${width} 44`}), cut = width * own / all;
        picture.append(tipped(`distributions of single columns: ${number(explain.marginal_part)} bits`, s('rect', {x: 0, y: 4, width: Math.max(1, cut), height: 32, class: 'e-fill'})),
          tipped(`dependence between columns: ${number(explain.dependence_part)} bits`, s('rect', {x: cut, y: 4, width: Math.max(1, width - cut), height: 32, class: 'soft-fill'})));
        return picture;
      }, table([TEXT('part'), 'bits'], [['distributions of single columns', number(explain.marginal_part)], ['dependence between columns', number(explain.dependence_part)],
        ['would remain if the dependence were repaired', bits(explain.if_dependence_repaired)]]),
      [key(swatch('e-fill'), 'distributions of single columns ', h('b', {}, number(explain.marginal_part))), key(swatch('soft-fill'), 'dependence between columns ', h('b', {}, number(explain.dependence_part)))]));
    }
    const repairs = explain.repairs.filter((repair) => repair.gain.value > 0);
    if (repairs.length > 0) {
      const largest = Math.max(...repairs.map((repair) => Math.max(repair.gain.value, repair.gain.confidence_interval.high)));
      parts.push(h('h3', {}, 'Repair these columns first'),
        longTable([NAME('column'), 'bits gained', ['', 'text picture'], 'interval'], repairs.map((repair) => [named(repair.column), bits(repair.gain), bitsCell(repair.gain, largest), interval(repair.gain.confidence_interval)]),
          repairs.map((repair) => repair.column), 'column'));
    }
    const pair = explain.pairs[0];
    if (explain.repairs.length > 0 && !explain.repairs.some((repair) => repair.gain.confidence_interval.low > 0)) {
      parts.push(h('p', {}, 'Repairing a single column does not help: columns that depend on each other must be repaired together.'));
    } else if (explain.repairs.length === 0) {
      parts.push(h('p', {}, 'No column needs repair on its own. Repair how the columns depend on each other',
        pair && pair.evident ? [', first ', named(pair.columns[0]), ' with ', named(pair.columns[1])] : '', '.'));
    }
    section('margins', 'What to repair', ...parts);
  }

  function pairs() {
    const matrix = explain.pair_matrix;
    if (explain.pairs.length === 0) return;
    const names = matrix ? matrix.columns : [];
    const evident = explain.pairs.some((pair) => pair.evident);
    // Values that chance explains are shown on the scale of what it could hide, so that none stands out.
    const largest = Math.max(1e-9, ...(evident && matrix ? matrix.values.flat().filter((v) => v !== null) : explain.pairs.map((pair) => pair.beyond_columns.confidence_interval.high)));
    const heat = names.length > 1 && figure(`Heat map of ${plural(names.length, 'column')}: what each pair reveals beyond its two columns. The table below lists the pairs.`, (width) => {
      const labelled = Math.min(0.3 * width, Math.max(...names.map((name) => textWidth(shortened(name, 22)))) + 8);
      const slanted = 0.5 * textWidth(shortened(names.at(-1), 16)); // the last heading reaches beyond its column
      const side = Math.min(34, (width - labelled - slanted) / names.length), readable = side >= 11;
      const left = readable ? labelled : 4, cellSide = readable ? side : Math.min(34, (width - 8) / names.length), top = readable ? Math.min(labelled, 120) : 4;
      const height = top + cellSide * names.length + 6;
      const picture = s('svg', {width, height, viewBox: `0 0 ${width} ${height}`});
      names.forEach((name, i) => {
        if (readable) {
          const x = left + (i + 0.5) * cellSide;
          picture.append(s('text', {x: left - 5, y: top + (i + 0.5) * cellSide + 4, class: 'tick', 'text-anchor': 'end'}, fitted(name, left - 5)),
            s('text', {x, y: top - 5, class: 'tick', transform: `rotate(-60 ${x} ${top - 5})`}, shortened(name, 16)));
        }
        names.forEach((other, j) => {
          const value = matrix.values[i][j];
          const square = s('rect', {x: left + j * cellSide + 0.5, y: top + i * cellSide + 0.5, width: cellSide - 1, height: cellSide - 1, class: value === null ? 'nothing' : 'e-fill'});
          if (value === null) { picture.append(square); return; }
          square.setAttribute('fill-opacity', (0.05 + 0.95 * Math.max(0, value) / largest).toFixed(3));
          picture.append(tipped(`${shortened(name, 40)} with ${shortened(other, 40)}\n${number(value)} bits beyond the two columns`, square));
        });
      });
      return picture;
    }, null, [key(swatch('e-fill'), `${number(largest)} bits`), key(s('rect', {x: 2, y: 2, width: 17, height: 10, class: 'e-fill', 'fill-opacity': 0.05}), 'nothing beyond the two columns')]);
    const rows = explain.pairs.map((pair) => [h('span', {}, named(pair.columns[0], 80), ' with ', named(pair.columns[1], 80)), bits(pair.beyond_columns), interval(pair.beyond_columns.confidence_interval),
      number(pair.together), pair.evident ? 'yes' : 'no']);
    section('pairs', 'Pairs of columns whose dependence differs',
      note('What two columns reveal together beyond what each reveals alone: dependence that one table has and the other does not. ', plural(explain.pairs_examined, 'pair'), ' examined, largest difference first.', evident ? '' : ' None differs by more than chance explains.'),
      heat, longTable([LONG_NAME('pair'), 'bits beyond the columns', 'interval', 'bits together', 'more than chance'], rows, explain.pairs.map((pair) => pair.columns.join(' ')), 'pair', (row, i, width) => openablePair(explain.pairs[i].columns, row, width), 10));
  }

  function sliceTable(list) {
    const largest = Math.max(1e-9, ...list.map((slice) => slice.bits));
    return longTable([LONG_NAME('rows with'), 'share of P', 'share of Q', 'bits', ['', 'text bar-cell']],
      list.map((slice) => [named(slice.rule), percent(slice.share_p), percent(slice.share_q), number(slice.bits), barCell(slice.bits / largest)]), list.map((slice) => slice.rule), 'slice');
  }
  function slices() {
    if (explain.slices.length > 0) {
      section('slices', 'Where in the data the tables differ', note(`Rules that divide the rows into slices, whose bits add up to ${number(explain.held_out)}.`), sliceTable(explain.slices));
    }
    if (explain.by) section('by', 'By ' + shortened(explain.by.column, 60), note('The bits, broken down by the values of this column.'), sliceTable(explain.by.slices));
  }

  function tellingRows() {
    if (explain.rows.length === 0) return;
    const shown = explain.rows.some((row) => row.values);
    section('rows', 'Most revealing rows',
      note('Rows are counted from 1.', shown ? '' : [' Their values are left out, because reports are often passed on; ', h('code', {}, '--show-rows'), ' (in Python ', h('code', {}, 'show_rows=True'), ') includes them.']),
      longTable([TEXT('table'), 'row', 'probability of P', 'bits'].concat(shown ? [LONG_NAME('values')] : []), explain.rows.map((row) => [row.table, count(row.row), small(row.posterior), small(row.bits)]
        .concat(shown ? [h('span', {}, (row.values || []).map((cell, i) => [i > 0 ? ', ' : '', named(cell.column, 40), ' = ', named(cell.value, 60)]))] : [])),
      null, 'row', null, 10));
  }

  // ---- several tables against one

  const compare = data.compare;

  /// The length of the folders that all paths begin with; 0 for a single name.
  function commonFolder(names) {
    let end = names.length > 1 ? names[0].lastIndexOf('/') + 1 : 0;
    while (end > 0 && !names.every((name) => name.startsWith(names[0].slice(0, end)))) end = names[0].lastIndexOf('/', end - 2) + 1;
    return end;
  }

  /// What is left of the divergences of candidates whose number formats differ from the reference's.
  function formats(candidates, brief) {
    if (candidates.length === 0) return null;
    const rungs = Object.keys(rungNames);
    const cell = (candidate, rung) => {
      const found = candidate.ladder.find((each) => each.rung === rung);
      return found ? `${number(found.jsd)} (${interval(found.confidence_interval)})` : '–';
    };
    return [h('h3', {}, 'With and without number formats'),
      note('Some tables store numbers in a different format from the reference, which is enough to tell them apart. This is what remains once the formats are made equal:'),
      table([NAME('table'), ...rungs.map((rung) => rungNames[rung][0].toLowerCase())],
        candidates.map((candidate) => [brief(candidate.name), ...rungs.map((rung) => cell(candidate, rung))]))];
  }

  function ranking() {
    const yard = compare.yardstick;
    const row = (name, entry, css, line, strong) => ({label: name, value: entry.jsd, low: entry.confidence_interval ? entry.confidence_interval.low : entry.jsd,
      high: entry.confidence_interval ? entry.confidence_interval.high : entry.jsd, css, line, strong, extra: number(entry.jsd),
      tip: `${shortened(name, 60)}: ${number(entry.jsd)}\ninterval ${interval(entry.confidence_interval)}`});
    const folder = commonFolder(compare.candidates.map((candidate) => candidate.name));
    const brief = (name) => named(name.slice(folder));
    const rows = compare.candidates.map((candidate) => compare.over_time ? row(candidate.name.slice(folder), candidate, candidate.differs ? 'p-fill' : 'hollow', 'p-line')
      : row(candidate.name.slice(folder), candidate, candidate.rank === 1 ? 'e-fill' : 'p-fill', candidate.rank === 1 ? 'e-line' : 'p-line', candidate.rank === 1));
    if (yard) rows.push(row('real against real', yard, 'good-fill', 'good-line'));
    const max = 1.08 * Math.max(0.01, ...rows.map((each) => each.high));
    const best = compare.candidates.find((candidate) => candidate.rank === 1);
    const supported = compare.differences.filter((difference) => difference.supported);
    const values = table([NAME('table'), 'rank', 'divergence', 'interval', 'rows', 'p-value', TEXT('more than chance')],
      compare.candidates.map((candidate) => [named(candidate.name), String(candidate.rank), number(candidate.jsd), interval(candidate.confidence_interval), count(candidate.input.rows), candidate.p_value === null ? '–' : String(+candidate.p_value.toPrecision(2)), candidate.differs ? 'yes' : 'no'])
        .concat(yard ? [['real against real', '–', number(yard.jsd), interval(yard.confidence_interval), yard.rows.map(count).join(' + '), yard.p_value === null ? '–' : String(+yard.p_value.toPrecision(2)), '–']] : []));
    const drift = compare.over_time;
    const legend = drift ? [key(dot('p-fill'), 'differs from the reference by more than chance explains'), key(dot('hollow'), 'may be chance')]
      : [key(dot('e-fill'), 'closest table'), key(dot('p-fill'), 'others')];
    if (yard) legend.push(key(drift ? rule('good-line thin dash') : dot('good-fill'), 'real against real: two halves of the reference, the score of a perfect copy'));
    const beyondChance = compare.candidates.filter((candidate) => candidate.differs);
    const differing = [beyondChance.length === 0 ? 'No table differs' : beyondChance.length === compare.candidates.length ? 'Every table differs'
      : `${count(beyondChance.length)} of ${plural(compare.candidates.length, 'table')} ${beyondChance.length === 1 ? 'differs' : 'differ'}`,
    ' from ', named(compare.reference.name), ' by more than chance explains',
    beyondChance.length > 0 && beyondChance.length < compare.candidates.length ? [': ', beyondChance.slice(0, 10).map((candidate, i) => [i > 0 ? ', ' : '', brief(candidate.name)]),
      beyondChance.length > 10 ? ` and ${count(beyondChance.length - 10)} more` : ''] : '', '.'];
    const apart = compare.candidates.filter((candidate) => candidate.ladder && candidate.ladder.length > 1);
    section('ranking', compare.over_time ? 'How far it has drifted' : 'The ranking',
      h('div', {class: 'says'}, drift
        ? [h('p', {}, differing), h('p', {}, supported.length === 0 ? 'No single step from one table to the next is larger than chance explains.'
          : `${plural(supported.length, 'step')} from one table to the next ${supported.length === 1 ? 'is' : 'are'} larger than chance explains; see below.`)]
        : compare.candidates.length > 1
          ? h('p', {}, brief(best.name), ' has the lowest divergence from ', named(compare.reference.name), ': ', number(best.jsd), '. ',
            best && compare.candidates.every((other) => other === best || supported.some((d) => d.closer === best.name && d.farther === other.name))
              ? 'It is closer than every other table by more than chance explains.' : 'The data do not settle whether it is closer than all others; see the differences below.')
          : h('p', {}, named(best.name), ' has the divergence ', number(best.jsd), ' from ', named(compare.reference.name), '.'),
      apart.length > 0 && h('p', {}, 'These numbers compare the tables as stored. Number formats differ, which can be enough to tell tables apart; “With and without number formats” shows what remains.')),
      compare.over_time ? figure('Divergence from the reference, table by table.', driftChart(rows.slice(0, compare.candidates.length), yard, max), values, legend)
        : figure(`Divergence of ${plural(rows.length, 'table')} from the reference.`, intervalChart(rows, max, 'divergence (bits)'), values, legend),
      formats(apart, brief),
      warningsBox(compare.warnings));
    const list = compare.differences;
    if (list.length > 0) {
      section('differences', compare.over_time ? 'From one table to the next' : 'Is one closer than another?',
        note('Differences between the divergences, based on the same rows of the reference. The intervals hold simultaneously; a difference is settled if its interval excludes 0.'),
        longTable([NAME(compare.over_time ? 'earlier' : 'closer'), NAME(compare.over_time ? 'later' : 'farther'), 'difference', 'interval', TEXT('settled')],
          list.map((difference) => [brief(difference.closer), brief(difference.farther), number(difference.value), interval(difference.confidence_interval), difference.supported ? 'yes' : 'no']),
          list.map((difference) => difference.closer + ' ' + difference.farther), 'difference'));
    }
    const noted = compare.candidates.filter((candidate) => candidate.warnings && candidate.warnings.length > 0);
    if (noted.length > 0) section('notes', 'Notes on individual tables', noted.map((candidate) => [h('h3', {}, brief(candidate.name)), warningsBox(candidate.warnings)]));
  }

  function driftChart(rows, yard, max) {
    return (width) => {
      const left = 56, right = width - 12, top = 8, bottom = 200, height = 226;
      const x = (i) => left + (right - left) * (i + 0.5) / rows.length, y = (v) => bottom - (bottom - top) * Math.min(1, v / max);
      const picture = s('svg', {width, height, viewBox: `0 0 ${width} ${height}`});
      for (const v of ticks(max, 5)) picture.append(s('line', {x1: left, x2: right, y1: y(v), y2: y(v), class: 'grid'}), s('text', {x: left - 5, y: y(v) + 4, class: 'tick', 'text-anchor': 'end'}, String(v)));
      picture.append(s('text', {x: 11, y: (top + bottom) / 2, class: 'tick', 'text-anchor': 'middle', transform: `rotate(-90 11 ${(top + bottom) / 2})`}, 'divergence (bits)'));
      if (yard) {
        picture.append(tipped(`real against real: ${number(yard.jsd)}\ninterval ${interval(yard.confidence_interval)}`,
          s('rect', {x: left, y: y(yard.jsd) - 6, width: right - left, height: 12, class: 'hit'}),
          s('line', {x1: left, x2: right, y1: y(yard.jsd), y2: y(yard.jsd), class: 'good-line thin dash'})));
      }
      picture.append(s('polyline', {points: rows.map((row, i) => `${x(i)},${y(row.value)}`).join(' '), class: 'p-line thin'}));
      const every = Math.ceil(70 * rows.length / (right - left));
      rows.forEach((row, i) => picture.append(tipped(row.tip, s('rect', {x: x(i) - 8, y: top, width: 16, height: bottom - top, class: 'hit'}),
        s('line', {x1: x(i), x2: x(i), y1: y(row.low), y2: y(row.high), class: 'p-line thick'}), s('circle', {cx: x(i), cy: y(row.value), r: 4.5, class: row.css})),
      i % every === 0 && s('text', {x: x(i), y: bottom + 18, class: 'tick', 'text-anchor': 'middle'}, shortened(row.label.split('/').pop(), 12))));
      return picture;
    };
  }

  function comparisonProtocol() {
    const record = compare.protocol;
    section('protocol', 'How this was measured', repeated('comparison'), table([LABEL, TEXT('')], [
      ['reference', h('span', {}, named(compare.reference.input.path || 'a table in memory'), ` · ${plural(compare.reference.input.rows, 'row')} · SHA-256 `, h('code', {}, compare.reference.input.sha256))],
      ...compare.candidates.map((candidate) => [named(candidate.name), h('span', {}, plural(candidate.input.rows, 'row'), ' · SHA-256 ', h('code', {}, candidate.input.sha256))]),
      ['columns', count(compare.columns.length)], ['families', record.families.join(', ')], ['split', record.split],
      ['versions', Object.entries(record.versions).map(([name, version]) => `${name} ${version}`).join(', ')],
      ['time', `${compare.runtime.seconds.toFixed(1)} s on ${plural(compare.runtime.threads, 'thread')}`]]),
    h('details', {}, h('summary', {}, 'All options'), h('pre', {tabindex: 0}, JSON.stringify(record.options, null, 1))));
  }

  // ---- the page

  function heading() {
    const header = document.getElementById('header');
    header.append(h('h1', {}, data.title));
    if (compare) header.append(h('p', {class: 'soft'}, 'Each table against ', named(compare.reference.name), `: ${plural(compare.reference.input.rows, 'row')} × ${plural(compare.columns.length, 'column')}`));
    if (!result) return;
    const inputs = result.protocol.inputs;
    header.append(h('ul', {class: 'tables'}, inputs.map((input, i) => h('li', {class: i === 0 ? 'of-p' : 'of-q'}, h('b', {}, i === 0 ? 'P ' : 'Q '),
      named(input.path || 'a table in memory'), h('div', {class: 'soft small'}, `${plural(input.rows, 'row')} × ${plural(data.totals.used_columns, 'column')}`,
        (result.protocol.left_out_columns || []).length > 0 ? ` (${count(result.protocol.left_out_columns.length)} left out)` : '')))));
  }

  heading();
  if (compare) {
    ranking();
    comparisonProtocol();
  }
  if (result) {
    overview();
    if (explain) {
      causes();
      margins();
      pairs();
      slices();
      tellingRows();
    }
    families();
    posteriors();
    learningCurve();
    selfCheck();
    support();
    dateParts();
    columns();
    divergences();
    protocol();
  }
  document.getElementById('contents').append(...contents.map(([id, title]) => h('li', {}, h('a', {href: '#' + id}, title))));
  document.documentElement.dataset.ready = 'true';
})();
