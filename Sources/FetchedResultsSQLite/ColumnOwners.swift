import Basics

/// Finds which property of which entity each column of a table belongs to.
///
/// Entities of one family share a table. If two of them have a property with the same name, Core
/// Data adds digits to the second column: siblings with `text` have the columns `ZTEXT` and
/// `ZTEXT1`. A column's name alone does not tell whether `ZTEXT1` belongs to `text` or to `text1`.
/// The rows with values tell, and the newer model, if there is one.
struct ColumnOwners {
  /// A column that may belong to a property.
  struct Column {
    /// The name without the `Z` in front.
    let name: String
    let type: ColumnType
    /// The numbers of the entities whose objects have a value.
    let entities: Set<Int64>
  }

  /// The property that a column belongs to.
  struct Choice {
    /// The column's name without the `Z` in front.
    let column: String
    /// The property's name in capitals; nil if the column belongs to none.
    let name: String?
    let owner: Int64
    let guide: NewerModel.Property?
    /// Another property of the newer model that the column belongs to as plausibly, if it has
    /// values.
    var alternative: NewerModel.Property?
    /// Whether only the rows tell that the column's digits are not part of the name.
    var isGuess: Bool { guide == nil && name != column }
  }

  private let root: Int64
  private let columns: [String: Column]
  private let lineages: [Int64: [Int64]]
  private let newer: NewerModel?
  private let splitsDigits: Bool

  /// How many ways to assign the columns of a name are compared.
  private static let width = 64

  /// - Parameters:
  ///   - root: The number of the table's root entity.
  ///   - lineages: For each entity, the numbers of its ancestors from the root, and its own.
  ///   - splitsDigits: Whether digits at the end of a column may be no part of the name.
  init(
    _ columns: [Column], root: Int64, lineages: [Int64: [Int64]], newer: NewerModel?,
    splitsDigits: Bool
  ) {
    self.root = root
    self.columns = Dictionary(
      columns.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    self.lineages = lineages
    self.newer = newer
    self.splitsDigits = splitsDigits
  }

  /// Returns a choice for each column.
  ///
  /// - Complexity: O(*n* × *m*) in the columns and the properties that share a name.
  func choices() -> [Choice] {
    Dictionary(grouping: columns.values) { shortestBase(of: $0.name) }
      .ordered { $0.key < $1.key }
      .flatMap { assign($0.value) }
  }

  /// Returns the names that a column's property may have: the whole, and what is left without
  /// digits that were added because the columns before it exist.
  private func names(of column: String) -> [String] {
    var names = [column]
    guard splitsDigits else { return names }
    let digits = column.reversed().prefix { $0.isASCII && $0.isNumber }.count
    for count in 1..<(max(1, min(digits, 4)) + 1) where count <= digits && count < column.count {
      let suffix = column.suffix(count)
      let base = String(column.dropLast(count))
      guard suffix.first != "0", let number = Int(suffix), columns[base] != nil,
        (1..<number).allSatisfy({ columns[base + String($0)] != nil })
      else { continue }
      names.append(base)
    }
    return names
  }

  private func shortestBase(of column: String) -> String {
    var base = column
    while let next = names(of: base).dropFirst().min(by: { $0.count < $1.count }) { base = next }
    return base
  }

  // MARK: - Assigning

  private struct Assignment {
    var cost = 0
    var choices: [Choice] = []
  }

  /// Assigns columns whose names differ in digits, by comparing the most plausible ways.
  private func assign(_ columns: [Column]) -> [Choice] {
    var best = [Assignment()]
    for column in columns.ordered(by: { ($0.name.count, $0.name) < ($1.name.count, $1.name) }) {
      let options = options(for: column, isAlone: columns.count == 1)
      var next: [Assignment] = []
      for assignment in best {
        for (choice, cost) in options {
          guard let more = extraCost(of: choice, after: assignment.choices) else { continue }
          next.append(
            Assignment(
              cost: assignment.cost + cost + more, choices: assignment.choices + [choice]))
        }
      }
      // Equal costs stay in order, so that the result does not depend on chance.
      let order = next.indices.ordered { (next[$0].cost, $0) < (next[$1].cost, $1) }
      best = order.prefix(Self.width).map { next[$0] }
    }
    guard var choices = best.first?.choices else { return [] }
    for other in best.dropFirst() where other.cost == best[0].cost {
      for (place, choice) in choices.enumerated() where choice.alternative == nil {
        choices[place].alternative = alternative(of: choice, in: other.choices[place])
      }
    }
    return choices
  }

  /// Returns the property of another choice, if its name has other digits; otherwise nil.
  ///
  /// Of properties with the same name, such as a current and a former one, the order decides.
  private func alternative(of choice: Choice, in other: Choice) -> NewerModel.Property? {
    guard let guide = choice.guide, let alternative = other.guide, choice.name != other.name,
      columns[choice.column]?.entities.isEmpty == false,
      guide.owner != alternative.owner
        || (guide.currentName ?? choice.name) != (alternative.currentName ?? other.name)
    else { return nil }
    return alternative
  }

  /// Returns what makes a choice less plausible after others; nil if they contradict it.
  private func extraCost(of choice: Choice, after others: [Choice]) -> Int? {
    guard let name = choice.name else { return 0 }
    var cost = 0
    for other in others where other.name == name {
      if areRelated(other.owner, choice.owner) { return nil }
      // Columns are created in order of the entities' numbers.
      if other.owner > choice.owner { cost = 2 }
    }
    return cost
  }

  /// Returns the properties that a column may belong to, each with how implausible that is.
  ///
  /// - Parameter isAlone: Whether no other column has the name with other digits.
  private func options(for column: Column, isAlone: Bool) -> [(Choice, cost: Int)] {
    var options: [(Choice, cost: Int)] = []
    let names = names(of: column.name)
    let common = commonAncestor(of: column.entities)
    for name in names {
      let guides = (newer?.properties(named: name, in: root) ?? []).filter { !hasOwnColumn($0) }
      for guide in guides where column.entities.allSatisfy({ isKind($0, of: guide.owner) }) {
        guard name == column.name || hasOtherLines(than: guide.owner) else { continue }
        options.append(
          (
            Choice(column: column.name, name: name, owner: guide.owner, guide: guide),
            guide.cost(ofColumn: column.type)
          ))
      }
      let isWhole = name == column.name
      let owner = common ?? root
      guard isWhole || (!column.entities.isEmpty && hasOtherLines(than: owner)) else { continue }
      let cost: Int
      if newer == nil {
        cost = isWhole ? 4 : 3
      } else if guides.contains(where: { areRelated($0.owner, owner) }) {
        cost = 3
      } else if isWhole {
        cost = names.count == 1 ? 4 : 7
      } else {
        cost = guides.isEmpty ? 6 : 5
      }
      options.append((Choice(column: column.name, name: name, owner: owner, guide: nil), cost))
    }
    // A column without values may remain of an older model. One with values is omitted only if
    // every other choice is impossible. If the digits of another column would lose their reason, it
    // is better to report a property as lost than to take its values for another's.
    let omitted = Choice(column: column.name, name: nil, owner: root, guide: nil)
    let isRemnant = column.entities.isEmpty && newer != nil
    let guides = newer?.properties(named: column.name, in: root) ?? []
    let isOther = guides.allSatisfy { $0.cost(ofColumn: column.type) >= 4 } && !guides.isEmpty
    options.append((omitted, !isRemnant ? 1_000 : isAlone || isOther ? 2 : 8))
    return options
  }

  /// Whether a property that was found under its former name has a column with its current one.
  ///
  /// A renaming identifier stays in a model after the version that renamed, and says nothing then.
  private func hasOwnColumn(_ property: NewerModel.Property) -> Bool {
    guard let name = property.currentName, let column = columns[name],
      newer?.isFormerName(name, in: root) == false
    else { return false }
    return column.entities.isEmpty
      || column.entities.contains { isKind($0, of: property.owner) }
  }

  private func isKind(_ entity: Int64, of other: Int64) -> Bool {
    lineages[entity]?.contains(other) ?? false
  }

  private func areRelated(_ one: Int64, _ other: Int64) -> Bool {
    isKind(one, of: other) || isKind(other, of: one)
  }

  /// Whether the family has an entity that may have a property with the same name.
  private func hasOtherLines(than entity: Int64) -> Bool {
    lineages.contains { $0.value.first == root && !areRelated($0.key, entity) }
  }

  /// Returns the nearest common ancestor of entities; nil if there are none, or one is of another
  /// family.
  private func commonAncestor(of entities: Set<Int64>) -> Int64? {
    var common: [Int64]?
    for entity in entities {
      guard let line = lineages[entity], line.first == root else { return nil }
      common = common.map { zip($0, line).prefix { $0 == $1 }.map(\.0) } ?? line
    }
    return common?.last
  }
}
