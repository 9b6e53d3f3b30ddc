/** What browsers may do with answers to scripts of other origins: by the operator's file, else by the backend's own rules. */
@NullMarked
package io.millrace.gateway.s3.cors;

import org.jspecify.annotations.NullMarked;
