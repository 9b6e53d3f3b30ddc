@NullMarked
package io.millrace.gateway.jobs.fetch;

import org.jspecify.annotations.NullMarked;
