@NullMarked
package io.millrace.backend.hub;

import org.jspecify.annotations.NullMarked;
