@NullMarked
package io.millrace.backend.http.url;

import org.jspecify.annotations.NullMarked;
