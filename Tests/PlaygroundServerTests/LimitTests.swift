import Testing

@testable import PlaygroundServer

@Suite("What the clients of a server may take together")
struct LimitTests {
  @Test("a number at once, and then so many each second")
  func pacing() {
    var pacing = Pacing(burst: 3, rate: 2, now: 100)
    var allowed = (0..<5).map { _ in pacing.allows(now: 100) }
    #expect(allowed == [true, true, true, false, false])
    let delay = pacing.delay(now: 100)
    #expect(delay == 0.5)
    allowed = (0..<2).map { _ in pacing.allows(now: 100.5) }
    #expect(allowed == [true, false])
    let isFull = pacing.isFull(now: 110)
    #expect(isFull)
    // A clock that goes back gives nothing.
    allowed = (0..<4).map { _ in pacing.allows(now: 90) }
    #expect(allowed == [true, true, true, false])
  }

  @Test("a full server refuses, and an address that is too fast too")
  func gate() {
    var limits = ServerLimits()
    limits.sessions = 200
    var gate = SessionGate(limits)
    let full = gate.answer(to: "a", sessions: 200, now: 0)
    #expect(
      full == .refused(.full, reason: "all 200 sessions are in use; try again later"))
    var open = 0
    for _ in 0..<500 where gate.answer(to: "a", sessions: 1, now: 0) == .open { open += 1 }
    #expect(open == Int(SessionGate.burst))
    let answers = [
      gate.answer(to: "b", sessions: 1, now: 0), gate.answer(to: "a", sessions: 1, now: 1),
    ]
    #expect(answers == [.open, .open])
  }

  @Test("many addresses take no more memory than some")
  func addresses() {
    var gate = SessionGate(ServerLimits())
    for number in 0..<4096 { _ = gate.answer(to: "\(number)", sessions: 1, now: 0) }
    let answers = [0.0, 100].map { gate.answer(to: "new", sessions: 1, now: $0) }
    #expect(answers[0] != .open)
    #expect(answers[1] == .open)
  }

  @Test("few open files permit few sessions")
  func files() {
    let few = ServerLimits().fitting(openFiles: 256)
    #expect(few.sessions * 4 + few.waiting + 64 <= 256)
    #expect(few.sessions > 0)
    let many = ServerLimits().fitting(openFiles: 65_536)
    #expect(many.sessions == ServerLimits().sessions)
  }
}
