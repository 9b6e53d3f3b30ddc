/** Authorization of requests to the Blob service: Shared Key, a SAS, or tokens and their sources. */
@NullMarked
package io.millrace.backend.azure.credentials;

import org.jspecify.annotations.NullMarked;
