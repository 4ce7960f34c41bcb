/// Reads statements that change settings of the session or its store.
struct SettingParser {
  let cursor: TokenCursor

  init(_ cursor: TokenCursor) { self.cursor = cursor }

  /// `set clock EXPRESSION`, `set locale ja`, `set policy overwrite`,
  /// `set nil apple`, `set sql on`.
  func parseSet() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    let setting: Statement.Setting = try cursor.expectWord(.setting)
    cursor.skipLineEndsAtPrompt()
    if setting == .policy { return try parsePolicySetting() }
    if setting == .sql {
      let start = cursor.token.range.lowerBound
      let isOn = try cursor.expectSwitch()
      return .set(
        setting, ExpressionSyntax(.boolean(isOn), range: start..<cursor.previousEnd))
    }
    if setting == .nilRule { return try parseNilSetting() }
    guard setting == .locale, cursor.token.kind == .word else {
      return .set(setting, try ExpressionParser(cursor).parse())
    }
    return .set(setting, takeLocale())
  }

  /// `set nil apple`, `set nil memory`; true for `apple`.
  private func parseNilSetting() throws(SyntaxError) -> Statement.Kind {
    let rule = try cursor.expectWord(of: ["apple", "memory"], .nilRule)
    return .set(.nilRule, ExpressionSyntax(.boolean(rule.text == "apple"), range: rule.range))
  }

  /// `set policy POLICY`.
  private func parsePolicySetting() throws(SyntaxError) -> Statement.Kind {
    let policy = try cursor.expectMergePolicy()
    return .set(.policy, ExpressionSyntax(.string([.text(policy.text)]), range: policy.range))
  }

  /// Takes the name of a locale, which needs no quotes: `ja`, `de-AT`, `en_US`.
  private func takeLocale() -> ExpressionSyntax {
    let start = cursor.token.range.lowerBound
    var end = cursor.token.range.upperBound
    while cursor.lexer.byte(at: end) == Byte.minus,
      let next = cursor.lexer.endOfNameOrDigits(at: end + 1)
    {
      end = next
    }
    cursor.resume(at: end)
    cursor.marks.foreign.append(start..<end)
    return ExpressionSyntax(
      .string([.text(cursor.source.text(in: start..<end))]), range: start..<end)
  }

  /// `[readonly] [history] [remoteChanges] [migrate]`, in any order.
  private func parseStoreOptions() throws(SyntaxError) -> StoreOptions {
    var options = StoreOptions()
    while true {
      let word = cursor.token
      guard let (name, option) = StoreOptions.words.first(where: { cursor.take(word: $0.word) })
      else { return options }
      guard !options[keyPath: option] else {
        throw SyntaxError(.repeatedPart(name), range: word.range)
      }
      options[keyPath: option] = true
    }
  }

  /// `store memory [history]`, `store sqlite "PATH" [readonly] [history] [remoteChanges] [migrate]`.
  func parseStore() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    if try cursor.expectWord(of: ["memory", "sqlite"], .storeType).text == "memory" {
      var options = StoreOptions()
      options.tracksHistory = cursor.take(word: "history")
      return .storeMemory(options)
    }
    cursor.skipLineEndsAtPrompt()
    let path = try ExpressionParser(cursor).parse()
    return .storeSQLite(path, try parseStoreOptions())
  }

  /// `quirk NAME on`, `quirk NAME off`.
  func parseQuirk() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    cursor.skipLineEndsAtPrompt()
    let quirk: Statement.Quirk = try cursor.expectWord(.quirk)
    cursor.skipLineEndsAtPrompt()
    return .quirk(quirk, isOn: try cursor.expectSwitch())
  }
}
