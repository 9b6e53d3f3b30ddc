select cities.country, items.kind, count(*) as sold, round(sum(sales.amount * items.price * rates.in_euro), 2) as euro
from read_parquet('s3://sales-s3/sales/**/*.parquet', hive_partitioning = true) as sales
join read_parquet('s3://sales-gcs/items.parquet') as items using (item)
join read_csv('s3://sales-azure/cities.csv') as cities using (city)
join read_csv('s3://sales-web/rates.csv') as rates using (currency)
where sales.month > 1
group by all
order by all
