extension GoldenSuite {
  /// Returns what the tests exercise, from a separate run on the first store of each.
  ///
  /// If the run is stopped, the tests that have not begun are left out.
  package func coverage() -> Coverage {
    let suite = self
    var coverage = Coverage()
    ParallelWork.perform(Array(tests.indices), threads: options.threads) { index in
      suite.coverage(of: index)
    } deliver: { _, result in
      coverage.add(result)
      return true
    }
    return coverage
  }

  private func coverage(of index: Int) -> Coverage {
    guard !isInterrupted() else { return Coverage() }
    return GoldenRunner(
      environment: environment(), locale: options.locale, stores: options.stores,
      timeout: options.timeout, limits: options.limits, isStopped: isInterrupted
    ).coverage(of: tests[index])
  }
}
