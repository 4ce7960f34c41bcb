/// A program that does nothing, which measures the shortest possible start.
@main
struct Nothing {
  static func main() {}
}
