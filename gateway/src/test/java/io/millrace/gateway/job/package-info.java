@NullMarked
package io.millrace.gateway.job;

import org.jspecify.annotations.NullMarked;
