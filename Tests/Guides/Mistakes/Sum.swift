/// A program that has a mistake in a page on purpose.
@main struct Sum {
  static func main() {
    print(1 + 1)
  }
}
