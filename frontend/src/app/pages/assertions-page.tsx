import { Assertions } from '@/features/assertions/components/assertions';

/** What is asserted of the estate, and how it fared. */
export default function AssertionsPage() {
  return <Assertions />;
}
