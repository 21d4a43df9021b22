/** What is wrong with how a page looks; each is a sentence. */
export type PageFaults = readonly string[];

/**
 * Runs inside the page: texts that leave their picture or overlap, boxes that leave theirs, anything wider than the window.
 * A text belongs to the smallest box that its middle or its start lies in.
 */
export const FIND_FAULTS = `(() => {
  const faults = [];
  const slack = 1;
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) faults.push('the page is ' + root.scrollWidth + ' wide in a window of ' + root.clientWidth);
  for (const element of document.querySelectorAll('main *')) {
    if (element.closest('svg') !== null && element.tagName !== 'svg') continue;
    const box = element.getBoundingClientRect();
    if (box.right > root.clientWidth + slack) faults.push(element.tagName + ' ends at ' + Math.round(box.right));
    if (element.scrollWidth > element.clientWidth + slack && element.clientWidth > 0) faults.push(element.tagName + ' is cut: ' + element.textContent.slice(0, 40));
  }
  const inside = (inner, outer) => inner.left >= outer.left - slack && inner.right <= outer.right + slack && inner.top >= outer.top - slack && inner.bottom <= outer.bottom + slack;
  for (const svg of document.querySelectorAll('svg')) {
    const frame = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll('text')];
    for (const text of texts) {
      const box = text.getBoundingClientRect();
      if (!inside(box, frame)) faults.push('text leaves its picture: ' + text.textContent);
      const middle = { left: (box.left + box.right) / 2, right: (box.left + box.right) / 2, top: (box.top + box.bottom) / 2, bottom: (box.top + box.bottom) / 2 };
      const start = { left: box.left + 1, right: box.left + 1, top: middle.top, bottom: middle.bottom };
      const holders = [...svg.querySelectorAll('rect:not(.chip)')].map((rect) => rect.getBoundingClientRect()).filter((rect) => inside(middle, rect) || inside(start, rect));
      const holder = holders.sort((one, other) => one.width * one.height - other.width * other.height)[0];
      if (holder !== undefined && !inside(box, holder)) faults.push('text leaves its box: ' + text.textContent);
    }
    const boxes = texts.map((text) => [text, text.getBoundingClientRect()]);
    boxes.forEach(([one, a], index) => {
      for (const [other, b] of boxes.slice(index + 1)) {
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        // Lines of text may touch by the room above and below their letters.
        if (across > slack && down > a.height * 0.35) faults.push('texts overlap: ' + one.textContent + ' and ' + other.textContent);
      }
    });
    for (const chip of svg.querySelectorAll('.chip')) if (!inside(chip.getBoundingClientRect(), frame)) faults.push('a chip leaves its picture');
  }
  return [...new Set(faults)].slice(0, 20);
})()`;
