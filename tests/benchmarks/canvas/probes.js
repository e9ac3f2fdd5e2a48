// What is measured inside the page. Loaded before the page's own scripts.
(() => {
  const probe = { firstNode: null };
  window.canvasProbe = probe;

  // The first frame after the first node of the canvas stands in the document.
  new MutationObserver((_changes, observer) => {
    if (document.querySelector('.react-flow__node') !== null) {
      observer.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(() => (probe.firstNode = performance.now())));
    }
  }).observe(document, { childList: true, subtree: true });

  const point = (type, x, y) =>
    new MouseEvent(type, { bubbles: true, cancelable: true, view: window, button: 0, buttons: 1, clientX: x, clientY: y });
  const frame = () => new Promise(requestAnimationFrame);

  // Drags the pane round in a circle, a step a frame; milliseconds of each frame.
  probe.pan = async (steps, radius) => {
    const pane = document.querySelector('.react-flow__pane');
    const { left, top, width, height } = pane.getBoundingClientRect();
    const at = (step) => [left + width / 2 + Math.sin((step / 40) * 2 * Math.PI) * radius, top + height / 2 + (1 - Math.cos((step / 40) * 2 * Math.PI)) * radius];
    pane.dispatchEvent(point('mousedown', ...at(0)));
    const frames = [];
    let before = await frame();
    for (let step = 1; step <= steps; step += 1) {
      window.dispatchEvent(point('mousemove', ...at(step)));
      const now = await frame();
      frames.push(now - before);
      before = now;
    }
    window.dispatchEvent(point('mouseup', ...at(steps)));
    return frames;
  };
})();
