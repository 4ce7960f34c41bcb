/// The floor of every start-up: a program that does nothing.
@main
struct Nothing {
  static func main() {}
}
