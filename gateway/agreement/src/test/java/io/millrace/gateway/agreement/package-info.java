@NullMarked
package io.millrace.gateway.agreement;

import org.jspecify.annotations.NullMarked;
