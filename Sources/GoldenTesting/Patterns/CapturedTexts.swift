import Basics

/// The texts that patterns such as `[id=..]` have matched so far, by name.
///
/// A copy shares the earlier texts, so that each block of a script can have its own copy.
package struct CapturedTexts: Sendable {
  /// The text is nil if the name's pattern did not match.
  ///
  /// The name then matches any text, so that one mistake is reported only once.
  private typealias Layer = [String: String?]

  /// The texts in layers, the newest last.
  ///
  /// Each layer is at least twice as large as the next one. So there are few layers, and adding
  /// seldom copies much.
  private var layers: [Layer] = []

  package init() {}

  /// Whether there are any names.
  var isNamed: Bool { !layers.isEmpty }

  func has(_ name: String) -> Bool { layers.contains { $0[name] != nil } }

  /// The text of a name; nil if it is unknown.
  subscript(name: String) -> String? {
    for layer in layers.reversed() {
      if let text = layer[name] { return text }
    }
    return nil
  }

  /// The names with known texts, sorted.
  ///
  /// - Complexity: O(*n* log *n*) in the names.
  var known: [(name: String, text: String)] {
    all.compactMap { name, text in text.map { (name, $0) } }.ordered { $0.name < $1.name }
  }

  /// Sets the text of a name.
  ///
  /// If the text is nil, the name matches any text.
  ///
  /// - Complexity: O(log *n*) in the names, on average.
  mutating func set(_ name: String, to text: String?) {
    if layers.count == 1, layers[0].count < 8 {
      layers[0].updateValue(text, forKey: name)
    } else {
      add([name: text])
    }
  }

  /// Returns these texts together with others, which replace those with the same names.
  ///
  /// - Complexity: O(*m* log *n*) in the other names and in these, on average.
  package func adding(_ other: CapturedTexts) -> CapturedTexts {
    guard other.isNamed else { return self }
    var result = self
    result.add(other.all)
    return result
  }

  /// Returns the texts of some names.
  ///
  /// - Complexity: O(*m* log *n*) in the names that are asked for and in these.
  func only(_ names: Set<String>) -> CapturedTexts {
    var result = CapturedTexts()
    for name in names where has(name) { result.set(name, to: self[name]) }
    return result
  }

  /// All texts in one layer.
  private var all: Layer {
    guard var all = layers.first else { return [:] }
    for layer in layers.dropFirst() { all.merge(layer) { $1 } }
    return all
  }

  private mutating func add(_ layer: Layer) {
    guard !layer.isEmpty else { return }
    var top = layer
    while let below = layers.last, below.count < 2 * top.count {
      layers.removeLast()
      top = below.merging(top) { $1 }
    }
    layers.append(top)
  }
}

extension CapturedTexts: Hashable {
  /// Whether both have the same names with the same texts.
  package static func == (left: Self, right: Self) -> Bool { left.all == right.all }

  /// Hashes all names and texts.
  package func hash(into hasher: inout Hasher) { hasher.combine(all) }
}

/// The texts that each line matching a pattern must contain, so that few lines have to be compared
/// with it.
///
/// Adjacent parts of the pattern form one text. ``LineIndex/end`` marks the ends of the line.
struct RequiredTexts {
  private(set) var texts: [[UInt8]] = []
  /// The text that the next part may continue.
  private var open = [LineIndex.end]

  init(_ parts: [LinePattern.Element]) {
    for part in parts {
      switch part {
      case .text(let text): open += Array(text.utf8)
      case .pattern(let kind, name: _): add(kind.expression)
      case .reuse: close()
      }
    }
    open.append(LineIndex.end)
    close()
  }

  private mutating func close() {
    if !open.isEmpty { texts.append(open) }
    open = []
  }

  private mutating func add(_ expression: TextExpression) {
    switch expression {
    case .scalar(let scalar): open += Array(String(scalar).utf8)
    case .set, .choice: close()
    case .sequence(let parts): for part in parts { add(part) }
    case .repeated(let part, let least, _, isLazy: _):
      // The text after the first repetition is unknown.
      if least > 0 { add(part) }
      close()
    }
  }
}
