import FetchedResults
import TableViews

let tableMistakes = [
  Mistake("table: an operation outside of updates") {
    TableView<String>().record(.insertRows(ResultsIndexPath(section: 0, row: 0)))
  },
  Mistake("table: an end of updates without a beginning") {
    try TableView<String>().endUpdates()
  },
]
