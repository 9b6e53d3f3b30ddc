/** Results of load tests: as tables, JSON, CSV and HTML, merged from several processes and compared with others. */
@NullMarked
package io.millrace.loadgen.result;

import org.jspecify.annotations.NullMarked;
