@NullMarked
package io.millrace.backend.http.token;

import org.jspecify.annotations.NullMarked;
