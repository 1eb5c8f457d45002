// Managing a space: a page each for its applications, people and the rest, under /manage/{page}. Only managers see it.

import { Empty } from '../parts/states.tsx';
import { usePlace } from '../routing/router.ts';
import { useGround } from '../session/ground.tsx';
import { useWords } from '../words/words.tsx';

export function ManagePage() {
  const words = useWords();
  const { space, canManage } = useGround();
  const { id } = usePlace();
  if (!canManage) return <Empty icon="gear" title={words.trouble.forbidden('manager')} />;
  return (
    <section className="paper" aria-labelledby="page-title">
      <header className="paper-head">
        <h1 id="page-title">{words.shell.manage}</h1>
      </header>
      <div className="paper-body">
        <Empty icon="gear" title={id ?? space.Name} />
      </div>
    </section>
  );
}
