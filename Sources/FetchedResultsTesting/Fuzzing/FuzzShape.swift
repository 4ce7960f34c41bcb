/// The entities and controllers to test a list with: the statements at the start of a world.
///
/// The rows of the built-in shapes are objects with a text attribute `title`.
public struct FuzzShape: Hashable, Sendable, CustomStringConvertible {
  /// The name that a failure shows.
  public let name: String
  /// Statements of frc that define entities and controllers.
  ///
  /// `fuzz` adds objects and the fetch.
  public let script: String

  /// The name.
  public var description: String { name }

  /// Creates a shape of your own.
  ///
  /// ```swift
  /// FuzzShape("recipes", """
  ///   entity Recipe { name: String = "", course: String = "" }
  ///   controller recipes = Recipe sort by course, name section by course
  ///   """)
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name that a failure shows.
  ///   - script: Statements of frc. Each controller that they define gets a list.
  public init(_ name: String, _ script: String) {
    self.name = name
    self.script = script
  }

  /// Rows without sections, sorted by a number and a text that are often equal.
  public static let plain = FuzzShape(
    "plain",
    """
    entity Book { title: String = "a", year: Int = 0 }
    controller books = Book sort by year, title
    """)

  /// Rows that enter and leave the results because of a predicate.
  public static let filtered = FuzzShape(
    "filtered",
    """
    entity Book { title: String = "a", year: Int = 0, done: Bool = false }
    controller books = Book where done == NO sort by title, year
    """)

  /// Sections by a text.
  public static let sectioned = FuzzShape(
    "sectioned",
    """
    entity Book { title: String = "a", genre: String = "a" }
    controller books = Book sort by genre, title section by genre
    """)

  /// A few sections whose rows enter and leave, with a section key that may be nil.
  public static let filteredSections = FuzzShape(
    "filteredSections",
    """
    entity Book { title: String = "a", genre: String?, done: Bool = false }
    controller books = Book where done == NO sort by genre desc, title section by genre
    """)

  /// Sections that change their order, because they are sorted by a number and not by their name.
  public static let movingSections = FuzzShape(
    "movingSections",
    """
    entity Book { title: String = "a", genre: String?, place: Int = 0 }
    controller books = Book sort by place, title section by genre
    """)

  /// Rows of an entity and of its sub-entity.
  public static let inherited = FuzzShape(
    "inherited",
    """
    entity Item { title: String = "a", kind: String = "a" }
    entity Book : Item { year: Int = 0 }
    controller items = Item sort by kind, title section by kind
    """)

  /// Sections by the name of a related object.
  ///
  /// Changes of that object are reported.
  public static let related = FuzzShape(
    "related",
    """
    entity Author { name: String = "a", books: [Book] inverse author }
    entity Book { title: String = "a", author: Author? inverse books }
    controller books = Book sort by author.name, title section by author.name track related
    """)

  /// The built-in shapes without sections.
  public static let withoutSections = [plain, filtered]
  /// The built-in shapes with sections.
  public static let withSections = [
    sectioned, filteredSections, movingSections, inherited, related,
  ]
  /// All built-in shapes.
  public static let all = withoutSections + withSections
}
