import { useEffect, useState } from 'preact/hooks';

let show: (text: string) => void = () => {};

/** Briefly says that something was done, without taking the focus. Failures are reported where they happened. */
export function toast(text: string): void {
  show(text);
}

/** Where toasts appear; once in the page. */
export function Toasts() {
  const [texts, setTexts] = useState<readonly { id: number; text: string }[]>([]);
  useEffect(() => {
    let next = 0;
    show = (text) => {
      const id = next++;
      setTexts((before) => [...before.slice(-2), { id, text }]);
      setTimeout(() => setTexts((before) => before.filter((each) => each.id !== id)), 6_000);
    };
    return () => {
      show = () => {};
    };
  }, []);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {texts.map(({ id, text }) => (
        <p key={id}>{text}</p>
      ))}
    </div>
  );
}
