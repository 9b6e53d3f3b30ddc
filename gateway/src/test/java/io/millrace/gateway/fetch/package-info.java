@NullMarked
package io.millrace.gateway.fetch;

import org.jspecify.annotations.NullMarked;
