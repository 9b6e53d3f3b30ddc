@NullMarked
package io.millrace.backend.http.read;

import org.jspecify.annotations.NullMarked;
