@NullMarked
package io.millrace.gateway.jobs;

import org.jspecify.annotations.NullMarked;
