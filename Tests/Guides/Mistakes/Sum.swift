/// A program that a page shows wrongly.
@main struct Sum {
  static func main() {
    print(1 + 1)
  }
}
