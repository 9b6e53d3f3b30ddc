/** Downloads from the web into buckets. */
@NullMarked
package io.millrace.gateway.jobs.download;

import org.jspecify.annotations.NullMarked;
