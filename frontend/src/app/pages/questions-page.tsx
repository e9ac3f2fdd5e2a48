import { QuestionsRoom } from '@/features/whatif/questions/components/questions-room';

/** Questions whose answers are tables. */
export default function QuestionsPage() {
  return <QuestionsRoom />;
}
