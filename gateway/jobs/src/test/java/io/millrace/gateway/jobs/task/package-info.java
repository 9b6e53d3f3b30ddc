@NullMarked
package io.millrace.gateway.jobs.task;

import org.jspecify.annotations.NullMarked;
