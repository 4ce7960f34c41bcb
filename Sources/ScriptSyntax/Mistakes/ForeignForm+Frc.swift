extension ForeignForm {
  /// Forms that are close to a statement of frc, but wrong.
  static let frc: [ForeignForm] = [
    form(
      "insert", #/^\s*insert\s+([A-Z]\w*)\s*\(\s*("[^"]*"|\d+)\s*[,)].*/#,
      "a value has the name of its property; write 'insert $1(title: $2)'"),
    form(
      "insert", #/^\s*insert\s+([A-Z]\w*)\s*\{\s*(\w+)\s*[:=]\s*([^,}]+?)\s*[,}].*/#,
      "write 'insert $1($2: $3)'"),
    form("insert", #/^\s*insert\s+([A-Z]\w*)\s+(\w+)\s*[:=]\s*(.+)/#, "write 'insert $1($2: $3)'"),
    form(
      "insert", #/^\s*insert\s+([A-Z]\w*)\s+([a-z]\w*)\s+("[^"]*"|[-@\d]\S*|true|false|nil)\s*$/#,
      "write 'insert $1($2: $3)'"),
    form(
      "insert", #/^\s*insert\s+([A-Z]\w*\(.*?\))\s*,\s*([A-Z]\w*\(.*)/#,
      "'insert' makes objects of one description; write 'perform { insert $1; insert $2 }'"),
    form("insert", #/^\s*insert\s+new\s+(.+)/#, "write 'insert $1'"),
    form(
      "insert", #/^\s*insert\s+an?\s+(\w+)/#,
      "an object is made by the name of its entity; write 'insert Book(title: \"Dune\")'"),
    form("delete", #/^\s*delete\s+(?:all|every)\s+([A-Z]\w*)/#, "write 'delete $1'"),
    form("fetch", #/^\s*fetch\s+(?:all|every)\s+([A-Z]\w*)/#, "write 'fetch $1'"),
    form(
      " from ",
      #/^\s*(?:try\s+)?(fetch|count|update|batch\s+delete|batch\s+update)\s+from\s+([A-Z]\w*)(.*)/#,
      "write '$1 $2$3'"),
    form(
      "sort by", #/\bsort\s+by\s+["']([\w.]+)["']/#, "a key path has no quotes; write 'sort by $1'"),
    form(
      "section by", #/\bsection\s+by\s+["']([\w.]+)["']/#,
      "a key path has no quotes; write 'section by $1'"),
    form(
      "section by", #/^\s*controller\s+\w+\s*=\s*\w+\s+section\s+by\s+([\w.]+)\s*$/#,
      "$0; write 'sort by $1 section by $1'"),
    form("controller", #/^\s*controller\s+\w+\s*=\s*([A-Z]\w*)\s*$/#, "$0; write '$1 sort by KEY'"),
    form(
      "controller", #/^\s*controller\s+([A-Z]\w*)\s.*/#, "write 'controller NAME = $1 sort by KEY'"),
    form(
      "controller", #/^\s*controller\s+(\w+)\s+of\s+([A-Z]\w*)(.*)/#, "write 'controller $1 = $2$3'"
    ),
    form(
      "controller", #/^\s*controller\s+(\w+)\s*:\s*([A-Z]\w*)(.*)/#, "write 'controller $1 = $2$3'"),
    form(
      "sort ", #/^\s*sort\s+([A-Z]\w*)\s+by\s+(.+)/#, "write 'fetch $1 sort by $2'"),
    form(
      "sort ", #/^\s*sort\s+(?!by\b)(\w+)\s+by\s+(.+)/#,
      "write 'change $1 sort by $2', and then 'fetch $1'"),
    form(
      "performfetch", #/^\s*performFetch(?:\(\))?\s*$/#,
      "write 'fetch' and the name of a controller, such as 'fetch books'"),
    form("performfetch", #/^\s*performFetch\s+(\w+)\s*$/#, "write 'fetch $1'"),
    form(
      "==", #/^\s*([A-Za-z]\w*(?:\/\d+)?\.[\w.]+)\s*==\s*(.+)/#,
      "'==' compares; write '$1 = $2' to set the value, or 'print $1 == $2' to compare it"),
    form(
      "/", #/^\s*([a-z])(\w*)\/(\d+)\.(.+)/#,
      "the name of an entity begins with a capital letter; write '$^1$2/$3.$4'"),
    form("sort ", #/\bsort\s+(?!by\b)([\w.]+)/#, "write 'sort by $1'"),
    form("section ", #/\bsection\s+(?!by\b)([\w.]+)/#, "write 'section by $1'"),
    form("filter", #/\bfilter\s+(?:by\s+)?(.+)/#, "write 'where $1'"),
    form("having", #/^\s*fetch\s+([A-Z]\w*)\s+having\s+(.+)/#, "$0; write 'where $2'"),
    form("when", #/^\s*fetch\s+([A-Z]\w*)\s+(?:when|if|with)\s+(.+)/#, "write 'fetch $1 where $2'"),
    form("with", #/^\s*fetch\s+([A-Z]\w*)\s+(?:with|if)\s+(.+)/#, "write 'fetch $1 where $2'"),
    form("if", #/^\s*fetch\s+([A-Z]\w*)\s+if\s+(.+)/#, "write 'fetch $1 where $2'"),
    form(
      "=", #/\bwhere\s+(\w+)\s*===?\s*(?!(?i:nil|null|true|false|yes|no|self)\b)([A-Za-z]\w*)\s*$/#,
      "$0; a text needs quotes: $1 == \"$2\""),
    form(
      "=", #/\bwhere\s+(\w+)\s*=\s*(?!(?i:nil|null|true|false|yes|no|self)\b)([A-Za-z]\w*)\s*$/#,
      "$0; a text needs quotes: $1 == \"$2\""),
    form("where", #/\bwhere\s*$/#, "write a predicate after 'where', such as pages > 100"),
    form(
      "entity", #/^\s*entity\s+([A-Z]\w*)\s*\((.+)\)\s*$/#,
      "properties are in braces; write 'entity $1 { $2 }'"),
    form(
      "entity",
      #/\bentity\s+[A-Z]\w*\s*\{[^}]*?\b(\w+)\s*=\s*(String|Int|Double|Date|Bool|Data|UUID)\b/#,
      "write '$1: $2'"),
    form(
      "entity", #/\bentity\s+[A-Z]\w*\s*\{[^}:]*?\b(String|Int|Double|Date|Bool)\s+(\w+)/#,
      "write '$2: $1'"),
    form(
      "entity",
      #/\bentity\s+[A-Z]\w*\s*\{[^}:]*?\b(\w+)\s+(String|Int|Double|Date|Bool)\b/#,
      "write '$1: $2'"),
    form("/", #/(?:^|[\s(,=])([A-Z]\w*)\/([a-z]\w*)\b/#, "an object has a number; write '$1/1'"),
    form("#", #/([A-Z]\w*)#(\d+)/#, "write '$1/$2'"),
    form("[", #/\b([A-Z]\w*)\[(\d+)\]/#, "an object is the entity and its number; write '$1/$2'"),
    form("(", #/\b([A-Z]\w*)\((\d+)\)/#, "an object is the entity and its number; write '$1/$2'"),
    form(
      "[", #/\b([a-z]\w*)\[(\d+)\](?!\s*=)/#,
      "an index path has a section and a row; write '$1[0, $2]'"),
    form("merge", #/^\s*merge\s+(\w+)\s*$/#, "write 'merge $1 into main'"),
    form("perform on", #/^\s*perform\s+(?:on|in)\s+(\w+)\s*\{/#, "write 'perform $1 { … }'"),
    form("repeat", #/^\s*repeat\s*\{/#, "'repeat' needs a number; write 'repeat 10 { … }'"),
    form("table", #/^\s*table\s+(\w+)\s*$/#, "write 'table view = $1'"),
    form("table", #/^\s*table\s+(\w+)\s+(?:of|for)\s+(\w+)/#, "write 'table $1 = $2'"),
    form("context", #/^\s*context\s+(\w+)\s*=.*/#, "write 'context $1'"),
    form(
      "show all", #/^\s*show\s+(?:all|everything)\b/#,
      "write 'objects Book', or 'show books' for a controller"),
    form(
      "show", #/^\s*show\s+([A-Z]\w*)\s*$/#,
      "'show' is for controllers and tables; write 'objects $1'"),
    form("list", #/^\s*list\s+([A-Z]\w*)/#, "write 'objects $1'"),
    form("why", #/^\s*why\b\s*(\S*?)\??\s*$/#, "write 'explain $1'"),
    form("explain", #/^\s*explain\s+callbacks?\b.*/#, "write 'explain'"),
    form(
      "record|play|share|timeline|goto|predict|mode",
      #/^\s*(record|play|share|timeline|goto|predict|mode)\s+(\S+)\s*$/#,
      "write ':$1 $2' at the prompt"),
    form("now", #/[=(]\s*now\s*(?:$|\))/#, "$0; the time is 'now()'"),
    form("20", #/(?:^|[^@\d"'])(\d{4}-\d{2}-\d{2})\b/#, "$0; a date begins with '@': @$1"),
  ]
}
