import { Navigate, useParams } from 'react-router';

import { Lesson } from '@/features/training/components/lesson';

/** What a hint or a report leads to. */
export default function TrainingLessonPage() {
  const { lesson } = useParams();
  return lesson === undefined ? <Navigate to="/training" replace /> : <Lesson key={lesson} id={lesson} />;
}
