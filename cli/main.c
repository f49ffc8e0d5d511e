#include <hooke/hooke.h>
#include <stdio.h>

int main(void)
{
  puts("hooke " HK_VERSION);
  return HK_OK;
}
