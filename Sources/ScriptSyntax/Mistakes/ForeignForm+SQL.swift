extension ForeignForm {
  /// Forms of SQL.
  static let sql: [ForeignForm] = [
    form(
      "select", #/(?i)^\s*select\s+count\(.*?\)\s+from\s+(\w+)(.*)/#,
      "frc has no SQL; write 'count $1$2'"),
    form(
      "select", #/(?i)^\s*select\s+\*\s+from\s+(\w+)(.*)/#, "frc has no SQL; write 'fetch $1$2'"),
    form(
      "select", #/(?i)^\s*select\s+distinct\s+([\w.,\s]+?)\s+from\s+(\w+)(.*)/#,
      "frc has no SQL; write 'fetch $2 values $1 distinct$3'"),
    form(
      "select", #/(?i)^\s*select\s+([\w.,\s]+?)\s+from\s+(\w+)(.*)/#,
      "frc has no SQL; write 'fetch $2 values $1$3'"),
    form("select", #/(?i)^\s*select\b/#, "frc has no SQL; write 'fetch Book where … sort by …'"),
    form(
      "insert into", #/(?i)^\s*insert\s+into\s+(\w+)\s*\((\w+).*?\)\s*values\s*\((.+?)[,)].*/#,
      "frc has no SQL; write 'insert $1($2: $3)'"),
    form(
      "insert into", #/(?i)^\s*insert\s+into\s+(\w+).*/#,
      "frc has no SQL; write 'insert $1(title: \"Dune\")'"),
    form(
      "update", #/(?i)^\s*update\s+(\w+)\s+set\s+(.+?)\s+where\s+(.+)/#,
      "frc has no SQL; write 'update $1 where $3 { $2 }'"),
    form(
      "update", #/(?i)^\s*update\s+(\w+)\s+set\s+(.+)/#, "frc has no SQL; write 'update $1 { $2 }'"),
    form(
      "delete from", #/(?i)^\s*delete\s+from\s+(\w+)(.*)/#, "frc has no SQL; write 'delete $1$2'"),
    form(
      "create", #/(?i)^\s*create\s+table\s+(?:if\s+not\s+exists\s+)?(\w+).*/#,
      "frc has no SQL; write 'entity $1 { title: String }'"),
    form(
      "create", #/(?i)^\s*create\s+(?:unique\s+)?index\b.*/#,
      "frc needs no index; 'unique title' in an entity allows no two same values"),
    form(
      "drop", #/(?i)^\s*drop\s+table\b.*/#,
      "an entity cannot be removed; 'delete Book' deletes its objects"),
    form(
      "alter", #/(?i)^\s*alter\s+table\b.*/#,
      "an entity cannot be changed later; write the property in 'entity Book { … }'"),
    form("truncate", #/(?i)^\s*truncate\s+(?:table\s+)?(\w+)/#, "write 'delete $1'"),
    form("order by", #/(?i)\border\s+by\s+([\w.]+(?:\s*,\s*[\w.]+)*)/#, "write 'sort by $1'"),
    form(
      "join", #/(?i)\b(?:inner\s+|left\s+)?join\b.*/#,
      "frc has no joins; a key path crosses a relationship: where author.name == \"Lem\""),
    form("is not null", #/(?i)([\w.]+)\s+is\s+not\s+(?:null|nil)/#, "write '$1 != nil'"),
    form("is null", #/(?i)([\w.]+)\s+is\s+(?:null|nil)/#, "write '$1 == nil'"),
    form("is nil", #/(?i)([\w.]+)\s+is\s+nil/#, "write '$1 == nil'"),
    form("is not nil", #/(?i)([\w.]+)\s+is\s+not\s+nil/#, "write '$1 != nil'"),
    form(
      "not like", #/(?i)([\w.]+)\s+not\s+(like|matches|contains|between)\s+(\S+)/#,
      "write 'NOT $1 $2 $3'"),
    form(" in (", #/(?i)([\w.]+)\s+in\s+\(([^)]*)\)/#, "a list has braces; write '$1 IN {$2}'"),
    form(
      "between", #/(?i)([\w.]+)\s+between\s+(\S+)\s+and\s+(\S+)/#, "write '$1 BETWEEN {$2, $3}'"),
    form("limit", #/(?i)\blimit\s+(\d+)\s*,\s*(\d+)/#, "write 'limit $2 offset $1'"),
    form(
      "begin", #/(?i)^\s*begin(?:\s+transaction)?\s*;?\s*$/#,
      "write 'perform { … }' for the changes of one turn, and 'save' to keep them"),
    form(
      "start transaction", #/(?i)^\s*start\s+transaction\b.*/#,
      "write 'perform { … }' for the changes of one turn, and 'save' to keep them"),
    form("commit", #/(?i)^\s*commit\b.*/#, "write 'save'"),
    form("show tables", #/(?i)^\s*show\s+tables\b.*/#, "write 'show model'"),
    form("show", #/(?i)^\s*show\s+(?:entities|schema|databases)\b.*/#, "write 'show model'"),
    form("desc", #/(?i)^\s*desc(?:ribe)?\s+(\w+)/#, "write 'show model'"),
    form(".tables", #/(?i)^\s*\.(?:tables|schema|databases)\b.*/#, "write 'show model'"),
    form(".", #/(?i)^\s*\.(?:quit|exit)\b.*/#, "write ':quit' at the prompt"),
    form(".", #/(?i)^\s*\.(mode|help|timer)\b\s*(\w*)/#, "write ':$1 $2' at the prompt"),
    form("\\d", #/(?i)^\s*\\d\b.*/#, "write 'show model'"),
    form(
      "explain", #/(?i)^\s*explain\s+(?:query\s+plan\s+)?select\b.*/#,
      "'explain' is about the last turn; 'set sql on' prints the SQL of a fetch"),
    form(
      "pragma", #/(?i)^\s*pragma\b.*/#, "frc has no SQL; 'set sql on' prints the store's statements"
    ),
    form("--", #/(?i)(?:^|\s)--\s.*/#, "a comment begins with '# '"),
    form(" set ", #/(?i)^\s*set\s+(\w+)\s*=\s*(.+)/#, "write 'let $1 = $2'"),
    form(
      "set ", #/(?i)^\s*set\s+(\w[\w.\/]*)\s*=\s*(.+)/#,
      "write '$1 = $2' for a property, and 'let $1 = $2' for a variable"),
    form("count(*)", #/(?i)\bcount\(\*\)/#, "write 'count Book', or 'values count(title)'"),
  ]
}
