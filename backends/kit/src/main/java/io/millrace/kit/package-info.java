/** Formats that clients, servers and backends share: dates of HTTP, XML documents, and certificates in PEM files. */
@NullMarked
package io.millrace.kit;

import org.jspecify.annotations.NullMarked;
