import FetchedResultsMacros
import Foundation

// Values that the predicates capture, like a client's.
private let limit = 150
private let word = "dune"
private let noWord = ""
private let day = Date(timeIntervalSinceReferenceDate: 3 * 86400)
private let noDate: Date? = nil
private let someDate: Date? = Date(timeIntervalSinceReferenceDate: 0)
private let serial = UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
private let serials = [serial, UUID(uuid: (2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))]
private let science = Genre.science
private let someMood: Genre? = .travel
private let price: Decimal = 2.5
private let pageCounts = [50, 100, 250]
private let words: Set<String> = ["emma", "zoo"]
private let span = 100...250
private let openSpan = 100..<250
private let genres = [Genre.fiction, .travel]
private let optionalWords: [String?] = ["dune", nil]
private let high = Rank.high

extension PredicateTests {
  static let cases: [Case] = numbers + strings + optionals + logic + relationships + others

  private static let numbers: [Case] = [
    Case("greater", #Predicate { $0.pages > 100 }),
    Case("less", #Predicate { $0.pages < limit }),
    Case("greater or equal", #Predicate { $0.pages >= 150 }),
    Case("less or equal", #Predicate { $0.pages <= 150 }),
    Case("equal", #Predicate { $0.pages == 150 }),
    Case("not equal", #Predicate { $0.pages != 150 }),
    Case("mirrored", #Predicate { limit < $0.pages }),
    Case("two attributes", #Predicate { $0.pages > ($0.author?.age ?? 40) * 5 }),
    Case("sum", #Predicate { $0.pages + 50 > 200 }),
    Case("difference", #Predicate { $0.pages - 50 < 100 }),
    Case("product", #Predicate { $0.pages * 2 == 400 }),
    Case("quotient", #Predicate { $0.pages / 60 == 2 }),
    Case("remainder", #Predicate { $0.pages % 100 == 50 }),
    Case("negative", #Predicate { -$0.pages < -100 }),
    Case("real sum", #Predicate { $0.weight + 1.5 > 3 }),
    Case("real quotient", #Predicate { $0.weight / 2 >= 1 }),
    Case("decimal", #Predicate { $0.price >= price }),
    Case("16 bits", #Predicate { $0.small > 4 }),
    Case("8 bits", #Predicate { $0.tiny > 100 }),
    Case("32 bits", #Predicate { $0.wide < -1 }),
    Case("float", #Predicate { $0.share == 0.5 }),
    Case("closed range", #Predicate { (100...250).contains($0.pages) }),
    Case("range", #Predicate { (100..<250).contains($0.pages) }),
    Case("captured closed range", #Predicate { span.contains($0.pages) }),
    Case("captured range", #Predicate { openSpan.contains($0.pages) }),
    Case("range to an attribute", #Predicate { (0..<$0.pages).contains(limit) }),
  ]

  private static let strings: [Case] = [
    Case("string equal", #Predicate { $0.title == "dune" }),
    Case("string not equal", #Predicate { $0.title != word }),
    Case("string order", #Predicate { $0.title < "emma" }),
    Case("contains", #Predicate { $0.title.contains("un") }),
    Case("contains nothing", #Predicate { $0.title.contains(noWord) && $0.pages > 100 }),
    Case(
      "contains an attribute",
      #Predicate { book in book.author.flatMap { book.title.contains($0.name) } ?? false }),
    Case("starts", #Predicate { $0.title.starts(with: word) }),
    Case("starts with nothing", #Predicate { $0.title.starts(with: "") && $0.pages > 100 }),
    Case("localized contains", #Predicate { $0.title.localizedStandardContains("ATH") }),
    Case("localized accent", #Predicate { $0.title.localizedStandardContains("E") }),
    Case("empty string", #Predicate { $0.title.isEmpty }),
    Case("not empty", #Predicate { !$0.title.isEmpty }),
    Case("one of words", #Predicate { words.contains($0.title) }),
    Case(
      "any word inside", #Predicate { book in words.contains(where: { book.title.contains($0) }) }),
  ]

  // swift-format-ignore: NeverForceUnwrap
  private static let optionals: [Case] = [
    Case("nil", #Predicate { $0.subtitle == nil }),
    Case("not nil", #Predicate { $0.subtitle != nil }),
    Case("optional equal", #Predicate { $0.subtitle == "dune" }),
    Case("optional not equal", #Predicate { $0.subtitle != "dune" }),
    Case("not of optional", #Predicate { !($0.subtitle == "dune") }),
    Case("fallback", #Predicate { ($0.rating ?? 3) > 2 }),
    Case("fallback string", #Predicate { ($0.subtitle ?? "zoo") == "zoo" }),
    Case("optional chain", #Predicate { $0.subtitle?.contains("un") == true }),
    Case("optional chain false", #Predicate { $0.subtitle?.contains("un") == false }),
    Case("optional chain nil", #Predicate { $0.subtitle?.contains("un") == nil }),
    Case("optional chain not", #Predicate { $0.subtitle?.contains("un") != true }),
    Case("optional chain fallback", #Predicate { $0.subtitle?.contains("un") ?? true }),
    Case("flat map", #Predicate { $0.rating.flatMap { $0 * 2 } == 4 }),
    Case("flat map fallback", #Predicate { ($0.rating.flatMap { $0 + 1 } ?? 0) > 3 }),
    Case("two optionals", #Predicate { $0.subtitle == $0.author?.nickname }),
    Case("captured optional", #Predicate { $0.lent == someDate }),
    Case("captured nil", #Predicate { $0.lent == noDate }),
    Case("list with nil", #Predicate { optionalWords.contains($0.subtitle) }),
    Case("unwrapped", #Predicate { $0.subtitle != nil && $0.subtitle!.starts(with: "d") }),
    Case("if let", #Predicate { if let it = $0.rating { it > 2 } else { false } }),
  ]

  private static let logic: [Case] = [
    Case("and", #Predicate { $0.pages > 100 && $0.isRead }),
    Case("or", #Predicate { $0.pages > 300 || $0.isRead }),
    Case("not", #Predicate { !$0.isRead }),
    Case("bool equal", #Predicate { $0.isRead == true }),
    Case("condition equal", #Predicate { ($0.pages > 100) == $0.isRead }),
    Case("conditions equal", #Predicate { ($0.pages > 100) == ($0.weight > 2) }),
    Case("conditions differ", #Predicate { ($0.pages > 100) != ($0.weight > 2) }),
    Case("ternary", #Predicate { $0.isRead ? $0.pages > 100 : $0.weight > 2 }),
    Case("ternary value", #Predicate { ($0.isRead ? $0.pages : 200) > 150 }),
    Case("nested", #Predicate { ($0.pages > 100 || $0.isRead) && !($0.weight > 2 && $0.isRead) }),
    Case("if else", #Predicate { if $0.isRead { $0.pages > 100 } else { $0.pages < 100 } }),
  ]

  private static let relationships: [Case] = [
    Case("no object", #Predicate { $0.author == nil }),
    Case("an object", #Predicate { $0.author != nil }),
    Case("name of an object", #Predicate { $0.author?.name == "dune" }),
    Case("not its name", #Predicate { $0.author?.name != "dune" }),
    Case("its age", #Predicate { ($0.author?.age ?? 0) > 35 }),
    Case("its truth value", #Predicate { $0.author?.isAlive == true }),
    Case("its truth value or", #Predicate { $0.author?.isAlive ?? true }),
    Case("its nickname", #Predicate { $0.author?.nickname == nil }),
    Case("search in it", #Predicate { $0.author?.name.starts(with: "e") == true }),
    Case("search in its optional", #Predicate { $0.author?.nickname?.contains("o") ?? false }),
    Case("if let object", #Predicate { if let a = $0.author { a.age > 30 } else { true } }),
    Case("count", #Predicate { ($0.author?.books.count ?? 0) > 9 }),
    Case(
      "one of many",
      #Predicate { $0.author.flatMap { $0.books.contains(where: { $0.pages > 350 }) } == true }),
    Case(
      "all of many",
      #Predicate { $0.author.flatMap { $0.books.allSatisfy { $0.pages > 20 } } ?? true }),
    Case(
      "outer inside",
      #Predicate { book in
        book.author.flatMap { $0.books.contains { $0.pages > book.pages + 150 } } == true
      }),
    Case(
      "filtered count",
      #Predicate { ($0.author.flatMap { $0.books.filter { $0.isRead }.count } ?? 0) > 5 }),
    Case(
      "nothing filtered",
      #Predicate { $0.author.flatMap { $0.books.filter { $0.pages == 400 }.isEmpty } == true }),
  ]

  private static let others: [Case] = [
    Case("date", #Predicate { $0.published > day }),
    Case("date equal", #Predicate { $0.published == day }),
    Case("UUID", #Predicate { $0.serial == serial }),
    Case("one of UUIDs", #Predicate { serials.contains($0.serial) }),
    Case("one of numbers", #Predicate { pageCounts.contains($0.pages) }),
    Case("none of numbers", #Predicate { !pageCounts.contains($0.pages) }),
    Case("list of literals", #Predicate { [50, 150].contains($0.pages) }),
    Case("enumeration", #Predicate { $0.genre == science }),
    Case("not enumeration", #Predicate { $0.genre != science }),
    Case("optional enumeration", #Predicate { $0.mood == someMood }),
    Case("one of enumerations", #Predicate { genres.contains($0.genre) }),
    Case("raw value", #Predicate { $0.genre.rawValue == "science" }),
    Case("raw number", #Predicate { $0.rank.rawValue > 1 }),
    Case("number enumeration", #Predicate { $0.rank == high }),
    Case("constant", #Predicate { _ in true }),
  ]
}
