/** HTTP client building blocks that backends share: connections, guards, timeouts, bodies, XML. */
@NullMarked
package io.millrace.backend.http;

import org.jspecify.annotations.NullMarked;
