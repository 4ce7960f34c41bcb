extension DateLiteral {
  /// Parses a date as scripts write it, without the `@`; nil if the text is not a valid date.
  package init?(_ text: String) {
    var reader = DateReader(bytes: Array(text.utf8)[...])
    guard let date = reader.read(), date.isOfCalendar else { return nil }
    self = date
  }
}

/// Parses the text of a date, without checking its numbers.
struct DateReader {
  var bytes: ArraySlice<UInt8>

  mutating func read() -> DateLiteral? {
    guard let year = number(digits: 4), take("-"), let month = number(digits: 2), take("-"),
      let day = number(digits: 2)
    else { return nil }
    var date = DateLiteral(year: year, month: month, day: day)
    guard take("T") else { return bytes.isEmpty ? date : nil }
    guard let hour = number(digits: 2), take(":"), let minute = number(digits: 2) else {
      return nil
    }
    date.hour = hour
    date.minute = minute
    if take(":") {
      guard let second = readSecond() else { return nil }
      date.second = second
    }
    guard let offset = readOffset() else { return nil }
    date.offset = offset
    return bytes.isEmpty ? date : nil
  }

  private mutating func readSecond() -> Double? {
    guard let whole = number(digits: 2) else { return nil }
    guard take(".") else { return Double(whole) }
    let digits = bytes.prefix(while: Byte.isDigit)
    guard !digits.isEmpty else { return nil }
    bytes = bytes.dropFirst(digits.count)
    return Double("\(whole)." + String(decoding: digits, as: UTF8.self))
  }

  /// Parses the time zone, in minutes east of UTC; 0 if there is none.
  private mutating func readOffset() -> Int? {
    if bytes.isEmpty || take("Z") { return 0 }
    let sign = take("-") ? -1 : 1
    guard sign == -1 || take("+"), let hours = number(digits: 2) else { return nil }
    _ = take(":")
    guard let minutes = bytes.isEmpty ? 0 : number(digits: 2), minutes < 60, hours < 24 else {
      return nil
    }
    return sign * (hours * 60 + minutes)
  }

  private mutating func number(digits count: Int) -> Int? {
    let digits = bytes.prefix(count)
    guard digits.count == count, digits.allSatisfy(Byte.isDigit) else { return nil }
    bytes = bytes.dropFirst(count)
    return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard let first = bytes.first, UInt32(first) == scalar.value else { return false }
    bytes = bytes.dropFirst()
    return true
  }
}

extension DateLiteral {
  /// Whether the day and the time exist, and the year is one from 1 to 9999 also in UTC, where
  /// dates are printed.
  var isOfCalendar: Bool {
    guard year >= 1, 1...12 ~= month, day >= 1, day <= daysInMonth else { return false }
    // Foundation's calendars go from 4 to 15 October.
    if (year, month) == (1582, 10), 5...14 ~= day { return false }
    guard hour < 24, minute < 60, second < 60 else { return false }
    let minuteOfDay = hour * 60 + minute - offset
    if (year, month, day) == (1, 1, 1) { return minuteOfDay >= 0 }
    return (year, month, day) != (9999, 12, 31) || minuteOfDay < 24 * 60
  }

  /// The days by the Julian calendar before 15 October 1582, as Foundation reads and prints dates.
  private var daysInMonth: Int {
    switch month {
    case 2 where year < 1582: year % 4 == 0 ? 29 : 28
    case 2: (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}
