// The walk through a protocol with stages: a place is a column and the repetition of its stage,
// from 0.

export class Stages {
  constructor({ heads, labels, stages, ways }) {
    this.heads = heads;
    this.labels = labels;
    this.stages = stages;
    this.guards = ways;
    this.end = heads.length - 1;
  }

  stageOf(column) {
    return this.stages.find(([first, count]) => column >= first && column < first + count);
  }

  // The next place if no guard holds; null after the end.
  onward({ column, repeat }) {
    if (column >= this.end) return null;
    const stage = this.stageOf(column);
    if (stage) {
      const [first, count, times] = stage;
      if (column + 1 < first + count) return { column: column + 1, repeat };
      if (repeat + 1 < times) return { column: first, repeat: repeat + 1 };
    }
    return { column: column + 1, repeat: 0 };
  }

  // The ways to choose from at a guard; empty if there is none.
  ways(place) {
    const guards = this.guards[place.column] ?? [];
    if (!guards.length) return [];
    const on = this.onward(place);
    return [
      ...guards.map(([words, column]) => ({ words, place: { column, repeat: 0 } })),
      { words: `Otherwise ${this.said(place, on)}`, place: on },
    ];
  }

  said(from, on) {
    if (on.column === this.end) return "play ends, too";
    const stage = this.stageOf(on.column),
      before = this.stageOf(from.column);
    const label = this.labels[on.column].toLowerCase();
    if (stage !== before) return `on to ${label} (${stage[3]})`;
    return on.repeat > from.repeat ? `again, from ${label}` : `on to ${label}`;
  }

  head({ column, repeat }) {
    const times = this.stageOf(column)?.[2] ?? 1;
    return times > 1
      ? `${this.heads[column]} (time ${repeat + 1} of at most ${times.toLocaleString("en")})`
      : this.heads[column];
  }
}
