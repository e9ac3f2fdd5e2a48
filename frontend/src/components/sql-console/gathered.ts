/** How long what follows something waits for what comes with it: a page drawn anew for each of thousands of lines draws nothing else. */
export const gatheringMilliseconds = 40;

/** Passes on what comes in bursts: the first of a burst at once, then what has gathered, in its order. */
export class Gathered<Item> {
  private readonly take: (items: readonly Item[]) => void;
  private items: Item[] = [];
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(take: (items: readonly Item[]) => void) {
    this.take = take;
  }

  add(item: Item): void {
    this.items.push(item);
    if (this.timer === null) {
      this.pass();
    }
  }

  /** What has come, now. */
  pass(): void {
    const { items } = this;
    this.drop();
    if (items.length > 0) {
      this.timer = setTimeout(() => {
        this.pass();
      }, gatheringMilliseconds);
      this.take(items);
    }
  }

  /** Nobody wants it any more. */
  drop(): void {
    if (this.timer !== null) {
      clearTimeout(this.timer);
    }
    this.timer = null;
    this.items = [];
  }
}
