import { endOfTurn } from '../base/turn.ts';

/**
 * Tells which connections bring too much in one turn of the event loop: once all together have brought more than `most` units, each one
 * that has brought more than `blameless`. Returns a function that begins a connection; what that returns is called with each of its
 * units, or several, and tells whether the connection is too much.
 */
export function createTurnExcess(most: number, blameless: number): () => (units: number) => boolean {
  let turn = 0;
  let ofAll = 0;
  return () => {
    let ofConnection = 0;
    let countedIn = 0;
    return (units) => {
      if (ofAll === 0) {
        turn += 1;
        void endOfTurn().then(() => {
          ofAll = 0;
        });
      }
      if (countedIn !== turn) {
        countedIn = turn;
        ofConnection = 0;
      }
      ofAll += units;
      ofConnection += units;
      return ofAll > most && ofConnection > blameless;
    };
  };
}
