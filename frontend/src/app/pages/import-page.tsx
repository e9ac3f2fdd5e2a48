export default function ImportPage() {
  return null;
}
