@NullMarked
package io.millrace.backend.resilience;

import org.jspecify.annotations.NullMarked;
