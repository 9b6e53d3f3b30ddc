/** The Hub port: the Hugging Face Hub's own protocol for reads, answered from the cache. */
@NullMarked
package io.millrace.gateway.s3.hub;

import org.jspecify.annotations.NullMarked;
