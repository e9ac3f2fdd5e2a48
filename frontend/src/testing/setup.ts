import '@testing-library/jest-dom/vitest';

// What jsdom lacks and components ask for. None of it has a result that a test looks at.
window.matchMedia = (media) => Object.assign(new EventTarget(), { matches: false, media, onchange: null }) as MediaQueryList;

window.ResizeObserver = class {
  observe(): void {
    return undefined;
  }
  unobserve(): void {
    return undefined;
  }
  disconnect(): void {
    return undefined;
  }
};

Element.prototype.scrollIntoView = () => undefined;

Object.defineProperty(document, 'fonts', { value: new EventTarget() });
