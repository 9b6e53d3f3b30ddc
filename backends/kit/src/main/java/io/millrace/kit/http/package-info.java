/** Values of HTTP that clients, servers and backends share. */
@NullMarked
package io.millrace.kit.http;

import org.jspecify.annotations.NullMarked;
