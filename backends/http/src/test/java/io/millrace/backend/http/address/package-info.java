@NullMarked
package io.millrace.backend.http.address;

import org.jspecify.annotations.NullMarked;
