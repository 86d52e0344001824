/* Zoom, search and the keyboard. Everything is in the document already: this only lays it out anew. */
(function () {
  'use strict';
  const root = document.documentElement;
  const tree = document.getElementById('frames');
  const head = document.getElementById('head');
  const foot = document.getElementById('foot');
  const found = document.getElementById('found');
  const detail = document.getElementById('detail');
  const words = document.getElementById('words').dataset;
  const margin = Number(tree.dataset.margin);
  const headHeight = Number(tree.dataset.top);
  const pictureHeight = root.height.baseVal.value;

  /* Frames stand parents first; `end` is the index after the last one below. */
  const frames = Array.from(tree.children, (element, index) => {
    const lines = element.querySelector('title').textContent.split('\n');
    return {
      element, index, text: element.querySelector('text'), name: lines[0], binary: lines[1], numbers: lines[2],
      begin: Number(element.dataset.b), count: Number(element.dataset.n), depth: Number(element.dataset.d),
      isFunction: !/^[or]$/.test(element.classList[0]), parent: null, end: index + 1, matches: false, label: null,
    };
  });
  const frameOfElement = new Map(frames.map((frame) => [frame.element, frame]));
  const total = frames[0].count;

  (function findParents() {
    const path = [];
    for (const frame of frames) {
      path.length = frame.depth;
      frame.parent = path[frame.depth - 1] || null;
      path.push(frame);
      for (const above of path) above.end = frame.index + 1;
    }
  })();

  let zoomed = frames[0];
  let focused = frames[0];
  let pattern = '';
  let charWidth = 7.3;
  let width = 1200;

  const contains = (outer, inner) => outer.index <= inner.index && inner.index < outer.end;
  const isShown = (frame) => contains(zoomed, frame) || contains(frame, zoomed);
  const percent = (count, of) => (of ? 100 * count / of : 0).toFixed(2) + ' %';

  function fit(name, room) {
    const fits = Math.floor((room - 8) / charWidth);
    const characters = Array.from(name);
    if (characters.length <= fits) return name;
    return fits < 3 ? '' : characters.slice(0, fits - 1).join('') + '…';
  }

  function place(frame) {
    const scale = (width - 2 * margin) / Math.max(zoomed.count, 1);
    const inside = contains(zoomed, frame);
    const w = inside ? frame.count * scale : width - 2 * margin;
    const style = frame.element.style;
    if (!isShown(frame) || w < 0.2) {
      style.display = 'none';
      return;
    }
    style.display = '';
    frame.element.setAttribute('x', margin + (inside ? (frame.begin - zoomed.begin) * scale : 0));
    frame.element.setAttribute('width', w);
    frame.element.classList.toggle('above', frame !== zoomed && !inside);
    const label = fit(frame.name, w);
    if (label !== frame.label) frame.text.textContent = frame.label = label;
  }

  function layout() {
    width = root.clientWidth || window.innerWidth || 1200;
    frames.forEach(place);
    stick();
  }

  /* The page scrolls as a whole; head and foot stay in sight. */
  function stick() {
    const y = window.scrollY || 0;
    const height = Math.min(window.innerHeight || pictureHeight, Math.max(pictureHeight - y, 0));
    head.setAttribute('transform', `translate(0 ${y})`);
    foot.setAttribute('transform', `translate(0 ${y + height})`);
    for (const wide of document.querySelectorAll('.wide')) wide.setAttribute('width', width);
    for (const line of document.querySelectorAll('.rule')) line.setAttribute('x2', width);
    controls.setAttribute('x', Math.max(width - 400 - margin, margin));
    found.setAttribute('x', width - margin);
  }

  function describe(frame) {
    if (!frame) frame = focused;
    let text = `${frame.name} — ${frame.numbers}`;
    if (zoomed !== frames[0] && contains(zoomed, frame))
      text += ` · ${percent(frame.count, zoomed.count)} ${words.of} ${zoomed.name}`;
    detail.textContent = fit(text + (frame.binary ? ` · ${frame.binary}` : ''), width - 2 * margin);
  }

  function focus(frame, quietly) {
    focused.element.setAttribute('tabindex', '-1');
    focused = frame;
    focused.element.setAttribute('tabindex', '0');
    if (!quietly) {
      focused.element.focus({preventScroll: true});
      reveal(focused);
    }
    describe(focused);
  }

  /* Scrolls so that head and foot do not cover the frame. */
  function reveal(frame) {
    const y = frame.element.y.baseVal.value;
    const top = window.scrollY + headHeight + 4;
    const bottom = window.scrollY + window.innerHeight - 56;
    if (y < top) window.scrollBy(0, y - top);
    else if (y > bottom) window.scrollBy(0, y - bottom);
  }

  function zoom(frame) {
    zoomed = frame;
    resetButton.disabled = frame === frames[0];
    if (!isShown(focused)) focus(frame, true);
    layout();
    describe(focused);
  }

  /* A pattern with a capital letter in it means it; what is no pattern is looked for as it stands. */
  function matcher(text) {
    const flags = text === text.toLowerCase() ? 'iu' : 'u';
    try {
      return new RegExp(text, flags);
    } catch (error) {
      return new RegExp(text.replace(/[.*+?^${}()|[\]\\\/-]/g, '\\$&'), flags.replace('u', ''));
    }
  }

  /* A sample counts once, however many functions of its stack match. */
  function search(text) {
    pattern = text;
    const expression = text ? matcher(text) : null;
    let sum = 0, functions = 0, counted = 0;
    for (const frame of frames) {
      frame.matches = Boolean(expression) && frame.isFunction && expression.test(frame.name);
      frame.element.classList.toggle('match', frame.matches);
      if (!frame.matches) continue;
      functions++;
      if (frame.index < counted) continue;
      sum += frame.count;
      counted = frame.end;
    }
    tree.classList.toggle('searched', functions > 0);
    found.textContent = !text ? '' : functions
      ? words.found.replace('%1', percent(sum, total)).replace('%2', sum) : words.none;
    root.dataset.matched = sum;
  }

  function nextMatch(step) {
    const shown = frames.filter((frame) => frame.matches && isShown(frame));
    if (!shown.length) return;
    const after = shown.findIndex((frame) => frame.index > focused.index);
    const at = step > 0 ? (after < 0 ? 0 : after) : (after < 0 ? shown.length : after) - (focused.matches ? 2 : 1);
    focus(shown[(at + shown.length) % shown.length]);
  }

  /* State stands in the fragment, so that a link leads to it and the browser's "back" undoes a zoom. */
  function readFragment() {
    const state = new URLSearchParams(location.hash.slice(1));
    const frame = frames[Number(state.get('zoom') || 0)] || frames[0];
    if ((state.get('search') || '') !== pattern) {
      input.value = state.get('search') || '';
      search(input.value);
    }
    if (frame !== zoomed) {
      zoom(frame);
      focus(frame, true);
    }
  }

  function writeFragment(remember) {
    const state = new URLSearchParams();
    if (pattern) state.set('search', pattern);
    if (zoomed !== frames[0]) state.set('zoom', zoomed.index);
    const url = location.href.split('#')[0] + (String(state) ? '#' + state : '');
    try {
      history[remember ? 'pushState' : 'replaceState'](null, '', url);
    } catch (error) {
      /* A document without an address of its own keeps no state. */
    }
  }

  function zoomTo(frame) {
    if (frame === zoomed) return;
    zoom(frame);
    writeFragment(true);
  }

  function sibling(frame, step) {
    for (let i = frame.index + step; i >= 0 && i < frames.length; i += step)
      if (frames[i].depth === frame.depth && isShown(frames[i]) && frames[i].element.style.display !== 'none')
        return frames[i];
    return frame;
  }

  function firstChild(frame) {
    for (let i = frame.index + 1; i < frame.end; i++)
      if (frames[i].depth === frame.depth + 1 && isShown(frames[i]) && frames[i].element.style.display !== 'none')
        return frames[i];
    return frame;
  }

  const keys = {
    ArrowUp: () => focus(focused.parent || focused),
    ArrowDown: () => focus(firstChild(focused)),
    ArrowLeft: () => focus(sibling(focused, -1)),
    ArrowRight: () => focus(sibling(focused, 1)),
    Home: () => focus(zoomed),
    Enter: () => zoomTo(focused),
    ' ': () => zoomTo(focused),
    Backspace: () => zoomTo(zoomed.parent || zoomed),
    n: () => nextMatch(1),
    N: () => nextMatch(-1),
  };

  function onKey(event) {
    const typing = event.target === input;
    if ((event.ctrlKey || event.metaKey) && event.key === 'f' && !typing) {
      input.focus();
      input.select();
    } else if (event.key === '/' && !typing && !event.ctrlKey) {
      input.focus();
    } else if (event.key === 'Escape') {
      escape(typing);
    } else if (typing && event.key === 'Enter') {
      nextMatch(event.shiftKey ? -1 : 1);
      input.focus();
    } else if (tree.contains(event.target) && keys[event.key] && !event.ctrlKey && !event.altKey && !event.metaKey) {
      keys[event.key]();
    } else {
      return;
    }
    event.preventDefault();
  }

  /* First the search goes, then the zoom. */
  function escape(typing) {
    if (pattern) {
      input.value = '';
      search('');
      writeFragment(false);
    } else if (!typing) {
      zoomTo(frames[0]);
    }
    if (typing) focus(focused);
  }

  function html(name, attributes, parent) {
    const element = document.createElementNS('http://www.w3.org/1999/xhtml', name);
    for (const key of Object.keys(attributes)) element.setAttribute(key, attributes[key]);
    return parent.appendChild(element);
  }

  const controls = document.createElementNS(root.namespaceURI, 'foreignObject');
  for (const [key, value] of [['y', 8], ['width', 400], ['height', 34]]) controls.setAttribute(key, value);
  head.appendChild(controls);
  const form = html('form', {role: 'search'}, controls);
  const input = html('input', {
    type: 'search', placeholder: words.search, 'aria-label': words.search, spellcheck: 'false', autocomplete: 'off',
  }, form);
  const resetButton = html('button', {type: 'button', disabled: ''}, form);
  resetButton.textContent = words.reset;

  const frameOf = (event) => {
    const element = event.target.closest && event.target.closest('#frames>svg');
    return element ? frameOfElement.get(element) : null;
  };
  tree.addEventListener('click', (event) => {
    const frame = frameOf(event);
    if (!frame) return;
    focus(frame, true);
    zoomTo(frame);
  });
  tree.addEventListener('mouseover', (event) => describe(frameOf(event)));
  tree.addEventListener('mouseleave', () => describe(focused));
  tree.addEventListener('focusin', (event) => {
    const frame = frameOf(event);
    if (frame && frame !== focused) focus(frame, true);
    describe(focused);
  });
  form.addEventListener('submit', (event) => event.preventDefault());
  input.addEventListener('input', () => {
    search(input.value);
    writeFragment(false);
  });
  resetButton.addEventListener('click', () => {
    zoomTo(frames[0]);
    focus(frames[0]);
  });
  document.addEventListener('keydown', onKey);
  window.addEventListener('hashchange', readFragment);
  window.addEventListener('popstate', readFragment);
  window.addEventListener('scroll', stick);
  window.addEventListener('resize', layout);

  root.removeAttribute('viewBox');
  root.setAttribute('width', '100%');
  charWidth = frames[0].text.textContent.length
    ? frames[0].text.getComputedTextLength() / Array.from(frames[0].text.textContent).length : charWidth;
  focus(frames[0], true);
  layout();
  readFragment();
  describe(focused);
})();
